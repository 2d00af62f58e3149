import { afterEach, expect, test } from 'vitest';
import { webhookPayload } from '../../fixtures/webhooks.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import { publishRun } from '../published-run.ts';

let desk: AppDesk;
let remarks = 100;
afterEach(() => desk?.close());

async function remark(number: number, body: string, login = 'walter', id?: number): Promise<void> {
  const { repo_id = 0 } = (await desk.store.runs.target('r1')) ?? {};
  const payload = webhookPayload('pull_request_review_comment.created', {
    comment: { id: id ?? remarks++, body },
    pull_request: { number },
    repository: { id: repo_id, name: 'shop', owner: { login: 'olivia' } },
    sender: { login, type: 'User' },
  });
  await desk.receive('pull_request_review_comment', payload);
  await desk.settle();
}

test('V-2: a value in a remark on a line is not taken, and its author is told once where to write it', async () => {
  desk = await openAppDesk();
  const { number } = await (await publishRun(desk)).pull();
  const told = async () =>
    (await desk.olivia.comments(number)).filter(({ body }) => body.includes('line comments'));
  await remark(number, 'Why not a constant?');
  expect(await told()).toEqual([]);
  await remark(number, '/provide colour=S3CRETvalue99');
  await remark(number, '/provide colour=S3CRETvalue98');
  expect(await told()).toHaveLength(1);
  expect((await told())[0]?.body).not.toContain('S3CRET');
  expect((await desk.state()).status).toBe('waiting_for_input');
});

test('V-2: a command in a remark on a line counts like one in a comment, once, by somebody with the role', async () => {
  desk = await openAppDesk();
  const { number } = await (await publishRun(desk)).pull();
  await remark(number, '/cancel', 'tina');
  await remark(number + 100, '/cancel');
  expect((await desk.state()).status).toBe('waiting_for_input');
  await remark(number, '/guide Take any colour', 'walter', 72);
  await remark(number, '/guide Take any colour', 'walter', 72);
  const { status, guidance } = await desk.state();
  expect({ status, hints: guidance.length }).toEqual({ status: 'building', hints: 1 });
});
