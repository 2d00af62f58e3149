import { afterEach, beforeEach, expect, test } from 'vitest';
import { digestOf } from '../../src/claims/digest-of.ts';
import { PASSING, type Run, startRun, tests } from '../core/run-builder.ts';
import { openTestDesk, type TestDesk } from '../web/desk.ts';
import { callJobApi, claimJob, workOf } from '../web/job-call.ts';

let desk: TestDesk;
let run: Run;
let builder: string;
let committed: number;

const GOOD = workOf('the work that was claimed to be complete');
const EVIL = workOf('something else');
const done = () => run.turn({ report: { status: 'implemented', summary: 'x' }, verification: PASSING });
const call = (...request: Parameters<typeof callJobApi> extends [unknown, ...infer Rest] ? Rest : never) =>
  callJobApi(desk, ...request);
const put = (name: string, body: string | ReadableStream) =>
  call('PUT', `/blobs/${name}`, { token: builder, body });
const kept = async (name = 'changeset') => {
  const bytes = await desk.store.blobs.get('r1', name);
  return bytes && new TextDecoder().decode(bytes);
};
const state = async () => (await desk.store.runs.load('r1')).state;
const verifier = async () =>
  String((await claimJob(desk, await desk.ticket({ kind: 'verify', job: run.state.jobs }))).json.token);
const verify = (token: string, work: string, verification = PASSING) =>
  call('POST', '/verification', {
    token,
    json: { verification, changeset: digestOf(Buffer.from(work)) },
  });

/** Commits what the run went through since it was stored. */
async function replay(): Promise<void> {
  for (const commit of run.commits.slice(committed)) {
    const { version } = await desk.store.runs.load('r1');
    await desk.store.runs.commit('r1', version, commit);
  }
  committed = run.commits.length;
}

beforeEach(async () => {
  desk = await openTestDesk({ jobs: { limits: { uploads: 1 } } });
  run = startRun({ freshVerification: true }).beginTurn();
  await desk.seed(run);
  committed = run.commits.length;
  builder = String((await claimJob(desk, await desk.ticket())).json.token);
  await put('changeset', GOOD);
});
afterEach(() => desk.close());

/** The job says that the task is complete; a fresh one is to check that. */
async function complete(): Promise<void> {
  run.endTurn({ report: { status: 'implemented', summary: 'x' }, verification: PASSING });
  await replay();
  if ((await state())?.verifying !== 1) throw new Error('no verification was requested');
}

test('from the request to verify on the changeset stays as it is', async () => {
  await complete();
  const swapped = await put('changeset', EVIL);
  expect(swapped.status).toBe(409);
  expect(swapped.json.error).toContain('being verified');
  expect(await kept()).toBe(GOOD);
  expect((await verify(await verifier(), GOOD)).status).toBe(200);
  expect(await state()).toMatchObject({ status: 'reviewing' });
  for (const name of ['changeset', 'checkpoint']) expect((await put(name, EVIL)).status).toBe(409);
  expect(await kept()).toBe(GOOD);
  expect(await kept('checkpoint')).toBeUndefined();
});

test('R-8: while a person is asked about finished work, the changeset stays as it is', async () => {
  const problems = [{ path: '.github/workflows/ci.yml', why: 'workflow' as const, digest: 'good' }];
  const work = { digest: digestOf(Buffer.from(GOOD)), files: 1, problems, secrets: [] };
  run.endTurn({ report: { status: 'implemented', summary: 'x' }, verification: PASSING, work });
  await replay();
  expect((await state())?.pending).toBe('e1');
  const swapped = await put('changeset', EVIL);
  expect(swapped.status).toBe(409);
  expect(swapped.json.error).toContain('A person is asked');
  expect((await put('checkpoint', 'its conversation')).status).toBe(200);
  run.say('/approve');
  await replay();
  const token = await verifier();
  expect((await verify(token, EVIL)).status).toBe(409);
  expect((await verify(token, GOOD)).status).toBe(200);
  expect(await state()).toMatchObject({ status: 'reviewing', changeset: work.digest });
});

test('a question about something else keeps no work out', async () => {
  run.askForHelp([{ key: 'colour', label: 'colour' }]);
  await replay();
  expect((await put('changeset', EVIL)).status).toBe(200);
});

test('an upload that began before the request to verify and ends after it is not taken', async () => {
  let send: (last: string) => void = () => undefined;
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(EVIL.slice(0, 10)));
      send = (last) => {
        controller.enqueue(new TextEncoder().encode(last));
        controller.close();
      };
    },
  });
  const upload = put('changeset', body);
  await expect.poll(async () => (await put('checkpoint', 'x')).status).toBe(503);
  await complete();
  send(EVIL.slice(10));
  expect((await upload).status).toBe(409);
  expect(await kept()).toBe(GOOD);
});

test('the checkpoint of the job that asked for the check is taken until that job has parked', async () => {
  await complete();
  expect((await put('checkpoint', 'its conversation')).status).toBe(200);
  run.park();
  await replay();
  expect((await put('checkpoint', EVIL)).status).toBe(401);
  expect(await kept('checkpoint')).toBe('its conversation');
});

test('a result for another changeset than the run’s does not count', async () => {
  await complete();
  const token = await verifier();
  expect((await verify(token, 'another one')).status).toBe(409);
  expect((await call('POST', '/verification', { token, json: { verification: PASSING } })).status).toBe(400);
  const none = { verification: PASSING, changeset: null };
  expect((await call('POST', '/verification', { token, json: none })).status).toBe(409);
  expect(await state()).toMatchObject({ verifying: 1, status: 'building' });
  expect((await verify(token, GOOD)).status).toBe(200);
});

test('R-5: the job of an older verification settles no later one', async () => {
  await complete();
  const old = await verifier();
  expect((await verify(old, GOOD, tests(1, 5))).status).toBe(200);
  run.feed({ type: 'verification', at: run.now(), verification: tests(1, 5) });
  committed = run.commits.length;
  // Said again because the answer was lost: nothing more happens.
  expect((await verify(old, GOOD, tests(1, 5))).status).toBe(200);
  done();
  await replay();
  expect((await state())?.verifying).toBe(1);
  expect((await verify(old, GOOD)).status).toBe(401);
  expect((await call('POST', '/heartbeat', { token: old })).status).toBe(401);
  expect(await state()).toMatchObject({ status: 'building', verifying: 1 });
});

test('R-5: a verification whose job was lost is settled by its successor alone', async () => {
  await complete();
  const unclaimed = await desk.ticket({ kind: 'verify' });
  const old = await verifier();
  run.feed({ type: 'job_lost', at: run.now(), reason: 'killed', verifying: true });
  await replay();
  expect((await state())?.verifying).toBe(2);
  expect((await verify(old, GOOD)).status).toBe(401);
  expect((await claimJob(desk, unclaimed)).status).toBe(401);
  expect((await verify(await verifier(), GOOD)).status).toBe(200);
  expect((await state())?.status).toBe('reviewing');
});

test('after the end of a run its token changes and opens nothing', async () => {
  const ref = await desk.store.vault.put('r1', 'url', 'canary');
  run.say('/cancel');
  await replay();
  const { version } = await desk.store.runs.load('r1');
  const envelope = run.envelope('agent_died', { reason: 'x' });
  expect((await call('POST', '/report', { token: builder, json: envelope })).json).toMatchObject({
    orders: { do: 'stop', status: 'cancelled' },
  });
  expect((await desk.store.runs.load('r1')).version).toBe(version);
  expect((await call('POST', '/inputs', { token: builder, json: { refs: [ref] } })).status).toBe(409);
  expect((await put('changeset', EVIL)).status).toBe(409);
  expect(await kept()).toBe(GOOD);
});
