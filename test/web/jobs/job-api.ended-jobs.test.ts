import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PASSING, type Run, startRun } from '../../core/run-builder.ts';
import { openTestDesk, type TestDesk } from '../desk.ts';
import { callJobApi, claimJob, workOf } from '../job-call.ts';

let desk: TestDesk;
let run: Run;
let token: string;
let committed: number;

const call = (...request: Parameters<typeof callJobApi> extends [unknown, ...infer Rest] ? Rest : never) =>
  callJobApi(desk, ...request);
const report = (json: unknown) => call('POST', '/report', { token, json });

beforeEach(async () => {
  desk = await openTestDesk();
  run = startRun({ freshVerification: true }).beginTurn();
  await desk.seed(run);
  committed = run.commits.length;
  token = String((await claimJob(desk, await desk.ticket())).json.token);
});
afterEach(() => desk.close());

/** Commits what the run went through since it was stored. */
async function replay(): Promise<void> {
  for (const commit of run.commits.slice(committed)) {
    const { version } = await desk.store.runs.load('r1');
    await desk.store.runs.commit('r1', version, commit);
  }
  committed = run.commits.length;
}

const ENDS: [string, () => unknown][] = [
  ['parked', () => run.askForHelp([{ key: 'colour' }]).park()],
  ['handed over', () => run.claim('handed_over', { guards: run.meter.states() })],
  ['was lost', () => run.lose()],
];

describe.each(ENDS)('R-5: the token of a job that %s', (_, end) => {
  test('opens nothing, and that is logged', async () => {
    const ref = await desk.store.vault.put('r1', 'url', 'canary-value');
    await desk.store.blobs.put('r1', 'checkpoint', Buffer.from('kept'));
    end();
    await replay();
    const answers = [
      await call('POST', '/inputs', { token, json: { refs: [ref] } }),
      await call('GET', '/orders?version=0&wait=0', { token }),
      await call('POST', '/heartbeat', { token }),
      await call('PUT', '/blobs/changeset', { token, body: workOf('evil') }),
      await call('PUT', '/blobs/checkpoint', { token, body: 'evil' }),
      await call('GET', '/blobs/checkpoint', { token }),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
    expect(JSON.stringify(answers)).not.toContain('canary');
    expect(answers[0]?.json.error).toContain('This job is over');
    expect(desk.logged()).toContain('This job is over');
    expect(await desk.store.blobs.get('r1', 'changeset')).toBeUndefined();
  });

  test('says nothing that counts', async () => {
    end();
    await replay();
    const before = await desk.store.runs.load('r1');
    const ended = { report: { status: 'implemented', summary: 'x' }, verification: PASSING };
    const { input } = run.endTurn(ended).commits.at(-1) ?? expect.fail();
    const turnEnded = input.type === 'claim' ? input.envelope : expect.fail();
    for (const envelope of [
      turnEnded,
      run.envelope('turn_started', { kind: 'normal', resumed: false }, { turn: 9 }),
      run.envelope('parked', { guards: {} }),
    ])
      expect((await report(envelope)).status).toBe(401);
    expect(await desk.store.runs.load('r1')).toEqual(before);
  });

  test('and its ticket is not taken again', async () => {
    const ticket = await desk.ticket();
    end();
    await replay();
    expect((await claimJob(desk, ticket)).status).toBe(401);
  });
});

test('R-2: a last word whose answer was lost is answered as the first time, also when a successor is there', async () => {
  run.askForHelp([{ key: 'colour' }]);
  await replay();
  const parked = run.envelope('parked', { guards: run.meter.states() });
  const first = await report(parked);
  expect(first).toMatchObject({ status: 200, json: { orders: { do: 'park' } } });
  const { version, state } = await desk.store.runs.load('r1');
  expect(state?.job_live).toBe(false);
  expect(await report(parked)).toEqual(first);
  expect((await desk.store.runs.load('r1')).version).toBe(version);
  run.park().say('/provide colour=green');
  run.startJob();
  committed = run.commits.length - 2;
  await replay();
  expect((await desk.store.runs.load('r1')).state).toMatchObject({ jobs: 2, job_live: true });
  // What was answered since is for the successor.
  expect((await report(parked)).json.orders).toEqual({ do: 'park' });
  expect((await report({ ...parked, seq: parked.seq + 1 })).status).toBe(401);
});

test('R-11: a value that is given after a job has parked is not for that job', async () => {
  run.askForHelp([{ key: 'api_key', secret: true }]).park();
  await replay();
  const ref = await desk.store.vault.put('r1', 'api_key', 'S3cr3t-of-tomorrow');
  const command = { name: 'provide' as const, inputs: { api_key: { ref, length: 18 } } };
  run.feed({ type: 'command', at: run.now(), command, by: 'rosa', via: 'form' });
  await replay();
  const answers = [
    await call('GET', '/orders?version=0&wait=0', { token }),
    await call('POST', '/inputs', { token, json: { refs: [ref] } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([401, 401]);
  expect(JSON.stringify(answers)).not.toContain(ref);
});

test('R-5: a job that was given its ticket but has not begun may take up the work', async () => {
  await desk.store.blobs.put('r1', 'checkpoint', Buffer.from('kept'));
  run.lose();
  await replay();
  const successor = String((await claimJob(desk, await desk.ticket({ job: 2 }))).json.token);
  expect((await call('GET', '/blobs/checkpoint', { token: successor })).status).toBe(200);
  const json = run.envelope('job_started', {}, { fence: 2 });
  expect((await call('POST', '/report', { token: successor, json })).status).toBe(200);
  expect((await desk.store.runs.load('r1')).state).toMatchObject({ jobs: 2, job_live: true });
});

test('R-9: of a run that has ended its job learns that it shall stop', async () => {
  run.say('/cancel');
  await replay();
  expect((await call('GET', '/orders', { token })).json.orders).toEqual({ do: 'stop', status: 'cancelled' });
  const json = run.envelope('parked', { guards: {} });
  expect((await report(json)).json.orders).toEqual({ do: 'stop', status: 'cancelled' });
});
