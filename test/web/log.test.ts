import { expect, test } from 'vitest';
import { createLog } from '../../src/web/log.ts';

function logged(fields: object): string {
  let text = '';
  createLog('info', {
    write(line) {
      text += line;
    },
  }).info(fields, 'said');
  return text;
}

test.each([
  ['authorization', { authorization: 'canary' }],
  ['a header', { headers: { authorization: 'canary', cookie: 'canary' } }],
  ['a request', { req: { headers: { authorization: 'canary' } } }],
  ['a ticket', { ticket: 'canary', job: { token: 'canary' } }],
  ['values', { inputs: { key: 'canary' }, values: ['canary'] }],
  ['a payload', { payload: { a: 'canary' }, delivery: { payload: 'canary' } }],
  ['a delivery, as Probot logs it', { event: { id: '1', payload: 'canary' } }],
  [
    'an error that carries a request',
    { err: Object.assign(new Error('x'), { request: { headers: 'canary' } }) },
  ],
  ['an error of several', { err: new AggregateError([Object.assign(new Error('x'), { event: 'canary' })]) }],
])('S-13: %s is left out', (_, fields) => {
  expect(logged(fields)).not.toContain('canary');
});

test('what happened and why is kept', () => {
  const err = new Error('no store', { cause: new Error('disk full') });
  const line = JSON.parse(logged({ run: 'r1', err }));
  expect(line).toMatchObject({
    level: 'info',
    run: 'r1',
    msg: 'said',
    err: { message: 'no store', cause: { message: 'disk full' } },
  });
  expect(line.time).toMatch(/^\d{4}-\d\d-\d\dT/);
});
