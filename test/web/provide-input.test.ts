import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Run } from '../core/run-builder.ts';
import { askingRun, openTestDesk, PUBLIC_URL, type TestDesk } from './desk.ts';

let desk: TestDesk;
let run: Run;

beforeEach(async () => {
  desk = await openTestDesk();
  desk.people.rosa = 'write';
  run = askingRun('url', 'password');
  await desk.seed(run);
});
afterEach(() => desk.close());

interface Sent {
  id?: string;
  login?: string;
  headers?: Record<string, string>;
  body?: string;
}

async function provide(inputs: unknown, { id = 'r1', login = 'rosa', headers, body }: Sent = {}) {
  const response = await fetch(`${desk.url}/api/runs/${id}/provide-input`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: PUBLIC_URL,
      ...(login ? { authorization: `Bearer user-${login}` } : {}),
      ...headers,
    },
    body: body ?? JSON.stringify({ inputs }),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

const both = { url: 'https://x', password: 'canary-password' };
const state = async () => (await desk.store.runs.load('r1')).state;

test('P-6: all values that were asked for: the run builds on, and the values are in the vault alone', async () => {
  expect(await provide(both)).toEqual({ status: 200, json: { status: 'building', missing: [] } });
  const after = await state();
  expect(after?.pending).toBeUndefined();
  const resolution = after?.escalations[0]?.resolution;
  expect(resolution?.by).toBe('rosa');
  const refs = Object.values(resolution?.inputs ?? {}).map(({ ref }) => ref);
  expect(await desk.store.vault.open('r1', refs)).toEqual(both);
  const [last] = (await desk.store.runs.events('r1')).slice(-1);
  expect(last?.commit.input).toMatchObject({ type: 'command', by: 'rosa', via: 'form', escalation: 'e1' });
  expect(JSON.stringify(await desk.store.runs.events('r1'))).not.toContain('canary-password');
  expect(desk.logged()).not.toContain('canary-password');
  expect(desk.logged()).toContain('"password"');
});

test('P-5: a part of them is kept, and what is missing is said', async () => {
  const answer = await provide({ url: 'https://x' });
  expect(answer).toEqual({ status: 200, json: { status: 'waiting_for_input', missing: ['password'] } });
  expect((await provide({ password: 'p' })).json).toEqual({ status: 'building', missing: [] });
});

test('422: what was not asked for is refused by name, and none of it is kept', async () => {
  const answer = await provide({ ...both, other: 'canary-other' });
  expect(answer).toMatchObject({ status: 422, json: { unknown: ['other'], asked: ['url', 'password'] } });
  expect(JSON.stringify(answer.json)).not.toContain('canary');
  expect((await state())?.given).toEqual({});
});

test.each([
  ['no JSON', '{'],
  ['no inputs', '{}'],
  ['none of them', '{"inputs":{}}'],
  ['an empty value', '{"inputs":{"url":""}}'],
  ['a value that is no text', '{"inputs":{"url":5}}'],
  ['a value that is too long', JSON.stringify({ inputs: { url: 'x'.repeat(40_000) } })],
])('422: %s', async (_, body) => {
  expect((await provide(undefined, { body })).status).toBe(422);
});

test('413: a body without end', async () => {
  expect((await provide(undefined, { body: 'x'.repeat(1_100_000) })).status).toBe(413);
});

test('410: nothing is asked for any more', async () => {
  await provide(both);
  expect(await provide(both)).toMatchObject({ status: 410, json: { problem: 'nothing_asked' } });
});

test('R-7: of two at once one is taken; the other is told', async () => {
  const answers = await Promise.all([provide(both), provide(both), provide(both)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 410, 410]);
});

describe('who may', () => {
  test('401: nobody is signed in', async () => {
    expect((await provide(both, { login: '' })).status).toBe(401);
  });

  test.each([
    ['none', 404],
    ['read', 403],
    ['triage', 403],
  ] as const)('%s permission: %d', async (permission, status) => {
    desk.people.mallory = permission;
    expect((await provide(both, { login: 'mallory' })).status).toBe(status);
    expect((await state())?.pending).toBe('e1');
  });

  test.each(['write', 'maintain', 'admin'] as const)('200: %s permission', async (permission) => {
    desk.people.rosa = permission;
    expect((await provide(both)).status).toBe(200);
  });

  test.each([
    ['admin', 'write', 403],
    ['admin', 'admin', 200],
    ['triage', 'triage', 200],
    ['triage', 'read', 403],
  ] as const)(
    'C-4: where /provide needs %s, %s gets %d by the form, too',
    async (needed, permission, status) => {
      await desk.close();
      desk = await openTestDesk();
      await desk.seed(askingRun('url', 'password'), { roles: { provide: needed } });
      desk.people.rosa = permission;
      const answer = await provide(both);
      expect(answer.status).toBe(status);
      if (status === 403)
        expect(answer.json.error).toBe(`/provide requires the ${needed} role on rosa/shop.`);
    },
  );

  test('S-19: no answer is taken when the permission cannot be read', async () => {
    desk.people.rosa = new Error('GitHub is down');
    expect((await provide(both)).status).toBe(404);
    expect((await state())?.given).toEqual({});
  });

  test.each(['r2', '..', 'r1%00', 'x'.repeat(200)])('404: no run %s', async (id) => {
    expect((await provide(both, { id })).status).toBe(404);
  });
});

describe('S-19: requests of other sites', () => {
  test('another origin is refused, whatever else it sends', async () => {
    for (const origin of [
      'https://evil.example',
      'null',
      `${PUBLIC_URL}.evil.example`,
      'http://autobuild.example.com',
    ])
      expect((await provide(both, { headers: { origin, 'x-autobuild-request': '1' } })).status).toBe(403);
    expect((await state())?.pending).toBe('e1');
  });

  test('a form cannot send it: JSON only', async () => {
    const headers = { 'content-type': 'text/plain' };
    expect((await provide(both, { headers })).status).toBe(415);
  });

  test('a program without an origin needs the header', async () => {
    const send = (headers: Record<string, string>) =>
      fetch(`${desk.url}/api/runs/r1/provide-input`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer user-rosa', ...headers },
        body: JSON.stringify({ inputs: both }),
      });
    expect((await send({})).status).toBe(403);
    expect((await send({ 'x-autobuild-request': '1' })).status).toBe(200);
  });
});
