import { afterEach, expect, test } from 'vitest';
import { handleInput } from '../../src/app/handle-input.ts';
import { PASSING, startRun, tests } from '../core/run-builder.ts';
import { type AppDesk, openAppDesk, SEEDED_ACTIONS_RUN } from './app-desk.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

const HOUR_MS = 3_600_000;
const status = async (issue: number) =>
  (await desk.olivia.comments(issue)).find(({ body }) => body.includes('op=r1.status'))?.body ?? '';
const isShown = async (issue: number) => (await status(issue)).includes('No sign of life from the job');
/** The run's job has reported that it is done, and a fresh job verifies. */
const awaitingVerification = () =>
  startRun({ startMs: Date.now() - HOUR_MS, freshVerification: true }).turn({
    report: { status: 'implemented', summary: 'x' },
    verification: PASSING,
  });

/** The job that built is there while a fresh job verifies. Returns the dispatch of the fresh one. */
async function verifyBesideBuild(): Promise<{ issue: number; op: string; actionsRun: number }> {
  desk = await openAppDesk();
  const { issue } = await desk.seed(awaitingVerification());
  const { id = 0 } = desk.github.workflows.runs.find(({ inputs }) => inputs.kind === 'verify') ?? {};
  await desk.claim(id, 1, 'verify');
  const { op = '' } = (await desk.dispatch(1, 'verify')) ?? {};
  return { issue, op, actionsRun: id };
}

const watch = async (seconds: number, heard: string[]) => {
  for (let second = 0; second < seconds; second += 20) {
    desk.clock.ms += 20_000;
    for (const op of heard)
      await desk.store.dispatches.change(op, { heard_at: new Date(desk.clock.ms).toISOString() });
    await desk.settle();
    await desk.watchJobs();
  }
};

test('R-5: a build job that falls silent after a verification failed is shown as silent, with its own log, and as back', async () => {
  const { issue, op } = await verifyBesideBuild();
  const { op: build = '' } = (await desk.dispatch()) ?? {};
  const at = new Date(desk.clock.ms).toISOString();
  const { changeset } = await desk.state();
  await handleInput(desk.deps, 'r1', { type: 'verification', at, verification: tests(3, 5), changeset });
  await desk.store.dispatches.change(op, { ended_at: at, outcome: 'over' });
  await watch(60, [build]);
  const { job_live, verifying } = await desk.state();
  expect([job_live, verifying]).toEqual([true, undefined]);
  expect(await status(issue)).toContain(`/actions/runs/${SEEDED_ACTIONS_RUN})`);
  await watch(180, []);
  expect(await isShown(issue)).toBe(true);
  await watch(20, [build]);
  expect(await isShown(issue)).toBe(false);
});

test.each(['build', 'verify'] as const)(
  'R-5: while a fresh job verifies beside the one that built, the silence of the %s job is shown, with its log',
  async (silent) => {
    const { issue, op, actionsRun } = await verifyBesideBuild();
    const { op: build = '' } = (await desk.dispatch()) ?? {};
    await watch(180, [silent === 'build' ? op : build]);
    expect(await isShown(issue)).toBe(true);
    const id = silent === 'build' ? SEEDED_ACTIONS_RUN : actionsRun;
    expect(await status(issue)).toContain(`/actions/runs/${id}) shows whether it is still running`);
    await watch(20, [op, build]);
    expect(await isShown(issue)).toBe(false);
  },
);

test.each(['has handed over', 'parked for a verification'])(
  'R-5: a job that %s is not shown as silent while its workflow run ends',
  async (how) => {
    desk = await openAppDesk();
    const run =
      how === 'has handed over' ? startRun({ startMs: Date.now() - HOUR_MS }).turn() : awaitingVerification();
    const { issue } = await desk.seed(run);
    if (how === 'has handed over') run.claim('handed_over', { guards: run.meter.states() });
    else run.park();
    const { op = '' } = (await desk.dispatch()) ?? {};
    const { change } = desk.store.dispatches;
    // Its workflow has steps left, and the next job waits for its machine.
    desk.store.dispatches.change = async (id, what) =>
      id === op && what.outcome === 'over' ? true : change(id, what);
    await desk.seed(run);
    desk.store.dispatches.change = change;
    expect(await desk.state()).toMatchObject({ status: 'building', job_live: false });
    expect((await desk.dispatch())?.ended_at).toBeUndefined();
    await watch(200, []);
    await desk.perform({ type: 'update_status' });
    expect(await isShown(issue)).toBe(false);
  },
);
