import { afterEach, expect, test } from 'vitest';
import { handleInput, write } from '../../../src/app/handle-input.ts';
import type { Effect } from '../../../src/core/contracts/effect.ts';
import { PASSING, startRun } from '../../core/run-builder.ts';
import { type AppDesk, askingRun, openAppDesk, SEEDED_ACTIONS_RUN } from '../app-desk.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

const MINUTE = 60_000;
const builds = () => desk.github.workflows.runs.length;
const comments = async (issue: number, text: string) =>
  (await desk.olivia.comments(issue)).filter(({ body }) => body.includes(text));
/** GitHub takes the dispatch, but no workflow run of it ever appears. */
function swallowDispatches(): void {
  const { github } = desk.deps;
  desk.deps.github = async (repository) => ({
    ...(await github(repository)),
    dispatchWorkflow: async () => ({}),
    workflowRuns: async () => [],
  });
}

test('R-13: a run that works and has no job gets one, from the store alone', async () => {
  desk = await openAppDesk();
  await desk.seed(startRun({ startMs: Date.now() - 60 * MINUTE }).turn());
  const { op = '' } = (await desk.dispatch()) ?? {};
  // As after a bug, or a hand in the database: the job is gone and nobody was told.
  await desk.store.dispatches.change(op, {
    ended_at: new Date(desk.clock.ms).toISOString(),
    outcome: 'gone',
  });
  const before = builds();
  desk.exchanges.length = 0;
  await desk.watchJobs();
  expect((await desk.state()).losses).toBe(1);
  expect(builds()).toBe(before + 1);
  await desk.watchJobs();
  expect(builds()).toBe(before + 1);
  expect((await desk.state()).losses).toBe(1);
});

test('R-13: the job before does not make up for the one that the run needs, though its machine is still there', async () => {
  desk = await openAppDesk();
  const run = startRun({ startMs: Date.now() - 60 * MINUTE }).turn();
  await desk.seed(run);
  const parked = run.park().commits.at(-1)?.input;
  if (parked) await handleInput(desk.deps, 'r1', parked, []);
  await desk.settle();
  expect((await desk.dispatch(1))?.ended_at).toBeUndefined();
  const { op = '' } = (await desk.dispatch(2)) ?? {};
  await desk.store.dispatches.change(op, {
    ended_at: new Date(desk.clock.ms).toISOString(),
    outcome: 'gone',
  });
  await desk.watchJobs();
  expect((await desk.state()).losses).toBe(1);
  expect((await desk.dispatch(2))?.ended_at).toBeUndefined();
});

test('R-13: a dispatch that starts no workflow run is repeated within 5 minutes, three times in all, then a question says why', async () => {
  desk = await openAppDesk();
  swallowDispatches();
  const { issue, run } = await desk.begin();
  for (let round = 1; round <= 2; round += 1) {
    // Until then reconcile looks for it.
    desk.clock.ms += 4 * MINUTE;
    await desk.watchJobs();
    expect((await desk.state(run)).losses ?? 0).toBe(round - 1);
    desk.clock.ms += 50_000;
    await desk.watchJobs();
    expect((await desk.state(run)).losses).toBe(round);
    expect((await desk.dispatch(1, 'build', run))?.ended_at).toBeUndefined();
  }
  desk.clock.ms += 5 * MINUTE;
  await desk.watchJobs();
  expect((await desk.state(run)).pending).toBe('e1');
  const said = await comments(issue, 'autobuild:escalation ');
  expect(said).toHaveLength(1);
  expect(said[0]?.body).toContain('the job does not start: 3 tries in a row ended before Autobuild began');
  expect(said[0]?.body).toContain('no workflow run appeared');
  expect(said[0]?.body).toContain('/continue');
});

test('R-13: a dispatch that waits for GitHub is not missing, however long GitHub is down', async () => {
  desk = await openAppDesk();
  desk.interfere(({ method, path }) =>
    method === 'POST' && path.endsWith('/dispatches')
      ? { status: 502, body: { message: 'Bad gateway' } }
      : undefined,
  );
  const { run } = await desk.begin();
  for (let minutes = 0; minutes < 60; minutes += 10) {
    desk.clock.ms += 10 * MINUTE;
    await desk.settle();
    await desk.watchJobs();
  }
  desk.interfere(() => undefined);
  desk.clock.ms += 10 * MINUTE;
  await desk.settle();
  expect((await desk.state(run)).losses).toBeUndefined();
  expect(builds()).toBe(1);
});

test('R-13: a verification whose dispatch is gone is asked for again while the job that built still seems to live', async () => {
  desk = await openAppDesk();
  const run = startRun({ freshVerification: true, startMs: Date.now() - 60 * MINUTE });
  await desk.seed(run);
  // The machine is lost before it says that the job parks.
  run.turn({ report: { status: 'implemented', summary: 'Done.' }, verification: PASSING });
  await desk.seed(run);
  const open = async () => (await desk.store.dispatches.open('r1')).map(({ kind }) => kind).sort();
  expect(await open()).toEqual(['build', 'verify']);
  await desk.watchJobs();
  expect((await desk.state()).verifying).toBe(1);
  const verify = await desk.dispatch(1, 'verify');
  const ended_at = new Date(desk.clock.ms).toISOString();
  await desk.store.dispatches.change(verify?.op ?? '', { ended_at, outcome: 'given up' });
  await desk.watchJobs();
  expect((await desk.state()).verifying).toBe(2);
  expect(await open()).toEqual(['build', 'verify']);
  // Its ticket is void after a day in the queue.
  desk.clock.ms += 24 * 60 * MINUTE + MINUTE;
  await desk.watchJobs();
  expect((await desk.state()).verifying).toBe(3);
});

test('R-13: a run that waits for a person needs no job', async () => {
  desk = await openAppDesk();
  await desk.seed(askingRun(['colour']).park());
  const before = builds();
  desk.clock.ms += 60 * MINUTE;
  await desk.watchJobs();
  expect(builds()).toBe(before);
  expect((await desk.state()).pending).toBe('e1');
});

test('R-13: pauses while a verification waits for its runner take none of its attempts', async () => {
  desk = await openAppDesk();
  const run = startRun({ freshVerification: true, startMs: Date.now() - 3_600_000 });
  run.turn({ report: { status: 'implemented', summary: 'x' }, verification: PASSING }).park();
  const { issue } = await desk.seed(run);
  for (const _ of ['once', 'twice', 'three times', 'four times']) {
    await desk.olivia.comment(issue, '/pause');
    await desk.settle();
    await desk.olivia.comment(issue, '/continue');
    await desk.settle();
    desk.clock.ms += 10_000;
    await desk.watchJobs();
    expect(await desk.state()).toMatchObject({ status: 'building', verifying: 1 });
  }
});

test('R-5: a silent job is shown as silent within 180 s, and as back when it is; it is not replaced', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(startRun({ startMs: Date.now() - 60 * MINUTE }).turn());
  const before = builds();
  desk.clock.ms += 140_000;
  await desk.watchJobs();
  expect(await comments(issue, 'No sign of life from the job')).toEqual([]);
  desk.clock.ms += 20_000;
  await desk.watchJobs();
  const [status] = await comments(issue, 'No sign of life from the job');
  expect(status?.body).toContain(`/actions/runs/${SEEDED_ACTIONS_RUN}`);
  const { op = '' } = (await desk.dispatch()) ?? {};
  await desk.store.dispatches.change(op, { heard_at: new Date(desk.clock.ms).toISOString() });
  await desk.watchJobs();
  expect(await comments(issue, 'No sign of life from the job')).toEqual([]);
  expect(builds()).toBe(before);
});

test('R-5: a job is shown as silent, and as back, though the desk that noticed it was killed before it could say so', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(startRun({ startMs: Date.now() - 60 * MINUTE }).turn());
  const silence = () => comments(issue, 'No sign of life from the job');
  const { runs } = desk.store;
  const watchAndDie = async () => {
    const { commit } = runs;
    runs.commit = () => Promise.reject(new Error('killed'));
    await desk.watchJobs();
    runs.commit = commit;
    await desk.watchJobs();
  };
  desk.clock.ms += 160_000;
  await watchAndDie();
  expect(await silence()).toHaveLength(1);
  const { op = '' } = (await desk.dispatch()) ?? {};
  await desk.store.dispatches.change(op, { heard_at: new Date(desk.clock.ms).toISOString() });
  await watchAndDie();
  expect(await silence()).toEqual([]);
});

test('R-5: a job that falls silent while its question is open is shown as silent, there too, and as back when it is', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  const silence = async () => (await comments(issue, 'No sign of life from the job')).length;
  const question = async () => (await comments(issue, 'op=r1.e1 '))[0]?.body;
  expect(await question()).toContain('the agent is paused, its work is saved');
  desk.clock.ms += 160_000;
  for (let time = 0; time < 2; time += 1) await desk.watchJobs();
  expect(await silence()).toBe(1);
  expect(await question()).toContain('no sign of life from the job since');
  expect(await question()).not.toContain('work is saved');
  const { op = '' } = (await desk.dispatch()) ?? {};
  await desk.store.dispatches.change(op, { heard_at: new Date(desk.clock.ms).toISOString() });
  await desk.watchJobs();
  expect(await silence()).toBe(0);
  expect(await question()).toContain('the agent is paused, its work is saved');
  expect((await desk.state()).pending).toBe('e1');
});

test.each<[string, Effect]>([
  ['status', { type: 'update_status' }],
  ['question', { type: 'ask', escalation: 'e1' }],
])(
  'R-5: status and question both show a silent job, and its return, if its %s is written first',
  async (_, first) => {
    desk = await openAppDesk();
    const { issue } = await desk.seed(askingRun(['colour']));
    const written = async () => {
      await write(desk.deps, 'r1', [first]);
      await desk.settle();
      const version = await versionOf();
      await desk.watchJobs();
      // Nothing more is to be written, so no effect leads to the next one.
      expect(await versionOf()).toBe(version);
      const [question] = await comments(issue, 'op=r1.e1 ');
      return [
        (await comments(issue, 'No sign of life from the job')).length === 1,
        question?.body.includes('no sign of life from the job since'),
      ];
    };
    const versionOf = async () => (await desk.store.runs.load('r1')).version;
    // Progress that was put off is written before the silence.
    desk.clock.ms += 60_000;
    await desk.settle();
    desk.clock.ms += 100_000;
    expect(await written()).toEqual([true, true]);
    const { op = '' } = (await desk.dispatch()) ?? {};
    await desk.store.dispatches.change(op, { heard_at: new Date(desk.clock.ms).toISOString() });
    expect(await written()).toEqual([false, false]);
  },
);

test('R-5: a run that waits without a job is shown no silence', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']).park());
  desk.clock.ms += 160_000;
  desk.exchanges.length = 0;
  await desk.watchJobs();
  expect(desk.exchanges).toEqual([]);
  expect(await comments(issue, 'o sign of life')).toEqual([]);
});
