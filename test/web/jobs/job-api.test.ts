import { setTimeout as sleepFor } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ClaimRequest, ClaimResponse } from '../../../src/core/ports/job-api.ts';
import { hashToken } from '../../../src/web/jobs/tokens.ts';
import { PASSING, Run } from '../../core/run-builder.ts';
import { askingRun, openTestDesk, TARGET, type TestDesk } from '../desk.ts';

let desk: TestDesk;
let run: Run;
let committed: number;

beforeEach(async () => {
  desk = await openTestDesk();
  run = askingRun('url', 'key');
  await desk.seed(run);
  committed = run.commits.length;
});
afterEach(() => desk.close());

async function call(
  method: string,
  path: string,
  options: { token?: string; json?: unknown; body?: BodyInit_; signal?: AbortSignal } = {},
): Promise<{ status: number; json: Record<string, unknown>; headers: Headers }> {
  const { token, json, body, signal } = options;
  const response = await fetch(`${desk.url}/api/jobs${path}`, {
    method,
    headers: token ? { authorization: `Bearer ${token}` } : {},
    body: json === undefined ? body : JSON.stringify(json),
    signal,
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return { status: response.status, json: isJson ? JSON.parse(text) : { text }, headers: response.headers };
}
type BodyInit_ = NonNullable<Parameters<typeof fetch>[1]>['body'];

const claim = (ticket: string, more: Partial<ClaimRequest> = {}) =>
  call('POST', '/claim', { json: { ticket, actions_run_id: 900, attempt: 1, ...more } });

async function claimed(parts: Parameters<TestDesk['ticket']>[0] = {}): Promise<string> {
  const answer = await claim(await desk.ticket(parts));
  if (answer.status !== 200) throw new Error(`claim: ${answer.status}`);
  return String(answer.json.token);
}

const version = async () => (await desk.store.runs.load('r1')).version;

describe('claim', () => {
  test('a ticket gives the brief, the orders and a token for this run, and is not stored in clear', async () => {
    const ticket = await desk.ticket();
    const answer = await claim(ticket);
    expect(answer.status).toBe(200);
    const { token, kind, brief, orders, place, protocol } = ClaimResponse.parse(answer.json);
    expect({ kind, protocol, orders }).toEqual({
      kind: 'build',
      protocol: 1,
      orders: { do: 'wait', escalation: 'e1' },
    });
    expect(brief).toMatchObject({ run: 'r1', job: 1, task: { title: 'Add a login page' } });
    expect(place).toEqual({
      owner: 'rosa',
      repo: 'shop',
      issue: 7,
      head_sha: TARGET.head_sha,
      default_branch: 'main',
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    for (const secret of [token, ticket]) expect(desk.logged()).not.toContain(secret);
    expect(await desk.store.tickets.findToken(hashToken(token))).toMatchObject({ run: 'r1', job: 1 });
  });

  test('S-17: a ticket works once, for one Actions run', async () => {
    const ticket = await desk.ticket();
    expect((await claim(ticket)).status).toBe(200);
    expect((await claim(ticket)).status).toBe(401);
    expect((await claim(ticket, { actions_run_id: 901 })).status).toBe(401);
    expect((await claim(ticket, { actions_run_id: 901, attempt: 2 })).status).toBe(401);
    expect(desk.logged()).toContain('job refused');
    expect(desk.logged()).not.toContain(ticket);
  });

  test('of many claims with one ticket at once one wins', async () => {
    const ticket = await desk.ticket();
    const answers = await Promise.all(Array.from({ length: 10 }, () => claim(ticket)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('a later attempt of the same Actions run claims anew, and the older token is void', async () => {
    const ticket = await desk.ticket();
    const first = await claim(ticket);
    desk.clock.ms += 60_000;
    desk.attempts[900] = 2;
    const second = await claim(ticket, { attempt: 2 });
    expect(second.status).toBe(200);
    expect(second.json.brief).toMatchObject({ job: 1 });
    expect((await call('POST', '/heartbeat', { token: String(first.json.token) })).status).toBe(401);
    expect((await call('POST', '/heartbeat', { token: String(second.json.token) })).status).toBe(200);
    expect((await claim(ticket, { attempt: 1 })).status).toBe(401);
  });

  test('a claim whose answer was lost can be repeated by whoever made it, and by nobody else', async () => {
    const ticket = await desk.ticket();
    const nonce = 'only this job knows it';
    const first = await claim(ticket, { nonce });
    const again = await claim(ticket, { nonce });
    expect(again.status).toBe(200);
    expect(again.json.token).toBe(first.json.token);
    expect((await claim(ticket, { nonce: 'another one, as long' })).status).toBe(401);
    expect((await claim(ticket)).status).toBe(401);
  });

  test('a stale or invented ticket: 401', async () => {
    const old = await desk.ticket({ minutes: 10 });
    desk.clock.ms += 11 * 60_000;
    expect((await claim(old)).status).toBe(401);
    expect((await claim('x'.repeat(43))).status).toBe(401);
  });

  test('R-5: a ticket for a job that has a successor: 401', async () => {
    const ticket = await desk.ticket({ job: 1 });
    run.lose().startJob();
    await replay();
    expect((await claim(ticket)).status).toBe(401);
  });

  test.each([
    ['no body', undefined],
    ['no JSON', '{'],
    ['a wrong shape', '{"ticket":"canary-ticket-canary","attempt":0}'],
  ])('%s: 400 that does not repeat what was sent', async (_, body) => {
    const answer = await call('POST', '/claim', { body });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.json)).not.toContain('canary');
  });
});

/** Commits what the run went through since it was stored. */
async function replay(): Promise<void> {
  for (const commit of run.commits.slice(committed)) {
    await desk.store.runs.commit('r1', await version(), commit);
  }
  committed = run.commits.length;
}

describe('a token', () => {
  test.each([
    ['POST', '/report'],
    ['GET', '/orders'],
    ['POST', '/heartbeat'],
    ['POST', '/inputs'],
    ['PUT', '/blobs/changeset'],
    ['GET', '/blobs/checkpoint'],
    ['POST', '/verification'],
    ['GET', '/what'],
  ])('%s %s needs one', async (method, path) => {
    expect((await call(method, path)).status).toBe(401);
    expect((await call(method, path, { token: 'x'.repeat(43) })).status).toBe(401);
    expect((await call(method, path, { token: 'short' })).status).toBe(401);
  });

  test('R-5: the fence moved: the old job is refused everywhere, the new one is heard', async () => {
    const token = await claimed();
    run.lose().startJob();
    await replay();
    const envelope = run.envelope('agent_died', { reason: 'zombie' }, { fence: 1 });
    const before = await version();
    expect((await call('POST', '/report', { token, json: envelope })).status).toBe(401);
    expect((await call('POST', '/heartbeat', { token })).status).toBe(401);
    expect((await call('PUT', '/blobs/changeset', { token, body: 'x' })).status).toBe(401);
    expect(await version()).toBe(before);
    const successor = await claimed({ job: 2 });
    expect((await call('POST', '/heartbeat', { token: successor })).status).toBe(200);
  });

  test('opens its own run and nothing else', async () => {
    const token = await claimed();
    const of = (changes: object) =>
      run.envelope('agent_frozen', { escalation: 'e1', processes: 1, ms: 1 }, changes);
    expect((await call('POST', '/report', { token, json: of({ run: 'r2' }) })).status).toBe(401);
    expect((await call('POST', '/report', { token, json: of({ fence: 2 }) })).status).toBe(401);
    const foreign = await desk.store.vault.put('r2', 'url', 'canary-of-r2');
    const inputs = await call('POST', '/inputs', { token, json: { refs: [foreign] } });
    expect(inputs.json).toEqual({ values: {} });
  });
});

describe('report', () => {
  const frozen = () => run.envelope('agent_frozen', { escalation: 'e1', processes: 3, ms: 2 });

  test('is decided, marks the job as alive, and gives the orders that follow', async () => {
    const token = await claimed();
    const before = await version();
    const answer = await call('POST', '/report', { token, json: frozen() });
    expect(answer).toMatchObject({
      status: 200,
      json: { orders: { do: 'wait', escalation: 'e1' }, version: before + 1 },
    });
    expect((await desk.store.dispatches.ofJob('r1', 1, 'build'))?.heard_at).toBe(
      new Date(desk.clock.ms).toISOString(),
    );
  });

  test('R-2: the same envelope again does nothing and gets the same answer', async () => {
    const token = await claimed();
    const json = frozen();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => call('POST', '/report', { token, json })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const { length } = (await desk.store.runs.events('r1')).filter(
      ({ commit }) => commit.events[0]?.type === 'agent_frozen',
    );
    expect(length).toBe(1);
  });

  test('a later attempt counts its messages anew', async () => {
    const ticket = await desk.ticket();
    const first = String((await claim(ticket)).json.token);
    const json = { ...frozen(), seq: 1 };
    await call('POST', '/report', { token: first, json });
    desk.clock.ms += 60_000;
    desk.attempts[900] = 2;
    const second = String((await claim(ticket, { attempt: 2 })).json.token);
    const before = await version();
    await call('POST', '/report', { token: second, json });
    expect(await version()).toBe(before + 1);
  });

  test('one protocol back is understood, others are told to change the version', async () => {
    const token = await claimed();
    const before = await version();
    const old = await call('POST', '/report', { token, json: { ...frozen(), protocol: 0 } });
    expect(old.status).toBe(200);
    const { commit } = (await desk.store.runs.events('r1')).at(-1) ?? {};
    expect(commit?.events).toMatchObject([{ type: 'agent_frozen' }]);
    for (const protocol of [-1, 2]) {
      const answer = await call('POST', '/report', { token, json: { ...frozen(), protocol } });
      expect(answer.status).toBe(409);
      expect(answer.json.error).toContain('pin another version');
    }
    expect(await version()).toBe(before + 1);
  });

  test('unknown types are stored and not acted on', async () => {
    const token = await claimed();
    const before = await version();
    const answer = await call('POST', '/report', {
      token,
      json: { ...frozen(), type: 'sang', data: { a: 1 } },
    });
    expect(answer).toMatchObject({ status: 200, json: { version: before + 1 } });
  });

  test('S-18: more than 4 MB: 413, declared or not', async () => {
    const token = await claimed();
    const long = JSON.stringify({ ...frozen(), data: 'x'.repeat(4 * 1024 * 1024) });
    expect((await call('POST', '/report', { token, body: long })).status).toBe(413);
    const stream = new Blob([long]).stream();
    const response = await fetch(`${desk.url}/api/jobs/report`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: stream,
      duplex: 'half',
    } as RequestInit_);
    expect(response.status).toBe(413);
  });
  type RequestInit_ = Parameters<typeof fetch>[1];
});

describe('orders', () => {
  const answer = async () => {
    run.say('/guide try the other one');
    await replay();
  };

  test('E-16: a long poll is answered when the run moves', async () => {
    const token = await claimed();
    const known = await version();
    const polls = [1, 2].map(() => call('GET', `/orders?version=${known}&wait=25`, { token }));
    const first = await Promise.race([
      ...polls,
      new Promise((resolve) => setTimeout(resolve, 150, 'still waiting')),
    ]);
    expect(first).toBe('still waiting');
    await answer();
    for (const each of polls)
      expect(await each).toMatchObject({ status: 200, json: { orders: { do: 'work' }, version: known + 1 } });
  });

  test('who knows an older version is answered at once, and so is who does not want to wait', async () => {
    const token = await claimed();
    expect((await call('GET', '/orders?version=1&wait=25', { token })).json.version).toBe(await version());
    expect((await call('GET', '/orders', { token })).json.orders).toEqual({ do: 'wait', escalation: 'e1' });
    expect((await call('GET', '/orders?version=x', { token })).status).toBe(400);
  });

  test('the time is up: the present orders', async () => {
    const token = await claimed();
    const known = await version();
    const { json } = await call('GET', `/orders?version=${known}&wait=0.2`, { token });
    expect(json).toEqual({ orders: { do: 'wait', escalation: 'e1' }, version: known });
  });

  test('a server that stops lets nobody wait', async () => {
    await desk.close();
    desk = await openTestDesk({ jobs: { limits: { longPolls: 1 } } });
    await desk.seed(run);
    const token = await claimed();
    const path = `/orders?version=${await version()}&wait=25`;
    // Left alone, the poll would wait for as long as this does, which begins earlier.
    const timeIsUp = sleepFor(25_000, 'time is up', { ref: false });
    const poll = call('GET', path, { token });
    await expect.poll(async () => (await call('GET', path, { token })).status).toBe(503);
    desk.closing.abort();
    expect(await Promise.race([poll, timeIsUp])).toMatchObject({ status: 200 });
  });

  test('who hangs up waits no longer', async () => {
    await desk.close();
    desk = await openTestDesk({ jobs: { limits: { longPolls: 1 } } });
    await desk.seed(run);
    const token = await claimed();
    const path = `/orders?version=${await version()}&wait=25`;
    const controller = new AbortController();
    const poll = call('GET', path, { token, signal: controller.signal });
    await expect.poll(async () => (await call('GET', path, { token })).status).toBe(503);
    controller.abort();
    await expect(poll).rejects.toThrow();
    await expect.poll(async () => (await call('GET', `${path.slice(0, -2)}0.1`, { token })).status).toBe(200);
  });

  test('R-5: a fence that moves while a job waits ends its waiting with 401', async () => {
    const token = await claimed();
    const poll = call('GET', `/orders?version=${await version()}&wait=25`, { token });
    run.lose().startJob();
    await replay();
    // It may have seen the loss before the successor.
    const { status } = await poll;
    expect([200, 401]).toContain(status);
    expect((await call('GET', '/orders', { token })).status).toBe(401);
  });
});

test('R-13: a heartbeat marks the job as alive, which works since its main step, and says what to do', async () => {
  const dispatch = () => desk.store.dispatches.ofJob('r1', 1, 'build');
  const token = await claimed();
  const claimed_at = new Date(desk.clock.ms).toISOString();
  const working_at = claimed_at;
  expect(await dispatch()).toMatchObject({ claimed_at, working_at, heard_at: claimed_at });
  desk.clock.ms += 30_000;
  expect(await call('POST', '/heartbeat', { token })).toMatchObject({ status: 200, json: { do: 'wait' } });
  const heard_at = new Date(desk.clock.ms).toISOString();
  expect(await dispatch()).toMatchObject({ claimed_at, working_at, heard_at });
});

test('S-13: values go to the job that builds, by reference, and into no log and no cache', async () => {
  const token = await claimed();
  const ref = await desk.store.vault.put('r1', 'url', 'canary-value');
  const answer = await call('POST', '/inputs', { token, json: { refs: [ref, 'input-unknown'] } });
  expect(answer.json).toEqual({ values: { url: 'canary-value' } });
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const verifier = await claimed({ kind: 'verify' });
  expect((await call('POST', '/inputs', { token: verifier, json: { refs: [ref] } })).status).toBe(403);
  expect(desk.logged()).not.toContain('canary-value');
});

const CHANGESET = JSON.stringify({ base_sha: TARGET.head_sha, files: [], left_out: [] });

describe('blobs', () => {
  test.each(['changeset', 'checkpoint'])('the newest %s is kept as it came', async (name) => {
    const token = await claimed();
    expect((await call('GET', `/blobs/${name}`, { token })).status).toBe(404);
    const bytes =
      name === 'changeset'
        ? new TextEncoder().encode(`${CHANGESET}${' '.repeat(300_000)}\n`)
        : Uint8Array.from({ length: 300_000 }, (_, index) => index % 251);
    await call('PUT', `/blobs/${name}`, { token, body: CHANGESET });
    expect((await call('PUT', `/blobs/${name}`, { token, body: bytes })).json).toEqual({
      bytes: bytes.length,
    });
    const response = await fetch(`${desk.url}/api/jobs/blobs/${name}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true);
  });

  test('there are no others', async () => {
    const token = await claimed();
    expect((await call('PUT', '/blobs/other', { token, body: 'x' })).status).toBe(404);
    expect((await call('GET', '/blobs/..%2fx', { token })).status).toBe(404);
  });

  test('S-18: more than 100 MB without a declared length is cut off', async () => {
    const token = await claimed();
    let sent = 0;
    const chunk = new Uint8Array(4 * 1024 * 1024);
    const body = new ReadableStream({
      pull(controller) {
        sent += chunk.length;
        if (sent > 140 * 1024 * 1024) controller.close();
        else controller.enqueue(chunk);
      },
    });
    const response = await fetch(`${desk.url}/api/jobs/blobs/checkpoint`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}` },
      body,
      duplex: 'half',
    } as Parameters<typeof fetch>[1]);
    expect(response.status).toBe(413);
    expect(await desk.store.blobs.get('r1', 'checkpoint')).toBeUndefined();
  });

  test('the fresh job reads the changeset, and neither writes nor sees the checkpoint', async () => {
    const token = await claimed();
    for (const name of ['changeset', 'checkpoint'])
      await call('PUT', `/blobs/${name}`, { token, body: CHANGESET });
    const verifier = await claimed({ kind: 'verify' });
    expect((await call('GET', '/blobs/changeset', { token: verifier })).status).toBe(200);
    expect((await call('GET', '/blobs/checkpoint', { token: verifier })).status).toBe(404);
    expect((await call('PUT', '/blobs/changeset', { token: verifier, body: 'y' })).status).toBe(403);
  });
});

test('only the fresh job says what it verified, and says it once', async () => {
  const results = async () =>
    (await desk.store.runs.events('r1')).filter(({ commit }) => commit.input.type === 'verification').length;
  const json = { verification: PASSING, changeset: null };
  expect((await call('POST', '/verification', { token: await claimed(), json })).status).toBe(403);
  const verifier = await claimed({ kind: 'verify' });
  const wrong = { ...json, verification: { ok: 'yes' } };
  expect((await call('POST', '/verification', { token: verifier, json: wrong })).status).toBe(400);
  expect(await results()).toBe(0);
  for (let time = 0; time < 3; time += 1)
    expect((await call('POST', '/verification', { token: verifier, json })).status).toBe(200);
  expect(await results()).toBe(1);
  const envelope = run.envelope('parked', { guards: {} });
  expect((await call('POST', '/report', { token: verifier, json: envelope })).status).toBe(403);
});

test('S-22: a result of other commands than the run’s checks does not count', async () => {
  const verifier = await claimed({ kind: 'verify' });
  const [check] = PASSING.checks;
  const other = { ...check, command: 'true' };
  const post = (checks: unknown[]) =>
    call('POST', '/verification', {
      token: verifier,
      json: { verification: { ...PASSING, checks }, changeset: null },
    });
  for (const checks of [[], [other], [check, other], [check, check]])
    expect((await post(checks)).status).toBe(409);
  expect((await post([check])).status).toBe(200);
});

test('the run of an Actions run is known once it claimed', async () => {
  await claimed();
  expect(await desk.store.dispatches.ofActionsRun(900)).toMatchObject({ run: 'r1', job: 1, attempt: 1 });
});

test('R-12: a store that is away is a 503 that says when to come again', async () => {
  await desk.store.close();
  const answer = await claim('x'.repeat(43));
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toBe('5');
});

test('a run is told to stop once it is over', async () => {
  const token = await claimed();
  run.say('/cancel');
  await replay();
  expect((await call('POST', '/heartbeat', { token })).json).toEqual({ do: 'stop' });
});

test('the first job claims before anything has happened', async () => {
  await desk.close();
  desk = await openTestDesk();
  run = new Run();
  await desk.seed(run);
  expect((await claim(await desk.ticket())).json).toMatchObject({
    orders: { do: 'work', turn: 1 },
    brief: { job: 1, turn: 0 },
  });
});
