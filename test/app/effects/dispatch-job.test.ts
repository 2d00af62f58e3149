import { afterEach, expect, test } from 'vitest';
import { isNeeded } from '../../../src/app/effects/dispatch-job.ts';
import { PASSING, startRun } from '../../core/run-builder.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

/** GitHub starts the workflow run, but its first answer does not arrive. */
function loseFirstDispatch(): void {
  const { github } = desk.deps;
  let lost = 0;
  desk.deps.github = async (repository) => {
    const real = await github(repository);
    return {
      ...real,
      async dispatchWorkflow(...args) {
        const answer = await real.dispatchWorkflow(...args);
        lost += 1;
        if (lost === 1) throw new Error('the answer is lost');
        return answer;
      },
    };
  };
}

test('R-6: commands while a job waits for its runner start no second one', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.begin();
  for (const text of ['/guide One', '/guide Two']) {
    await desk.olivia.comment(issue, text);
    await desk.settle();
  }
  expect(desk.github.workflows.runs).toHaveLength(1);
});

test('R-2: a dispatch whose answer was lost is found by its name instead of made twice', async () => {
  desk = await openAppDesk();
  loseFirstDispatch();
  const { run } = await desk.begin();
  expect((await desk.dispatch(1, 'build', run))?.actions_run).toBeUndefined();
  desk.clock.ms += 10_000;
  await desk.settle();
  expect(desk.github.workflows.runs).toHaveLength(1);
  expect((await desk.dispatch(1, 'build', run))?.actions_run).toBe(desk.github.workflows.runs[0]?.id);
});

test('R-2: it is found also where the desk’s clock is ahead of GitHub’s', async () => {
  desk = await openAppDesk();
  desk.clock.ms += 45_000;
  loseFirstDispatch();
  await desk.begin();
  desk.clock.ms += 10_000;
  await desk.settle();
  expect(desk.github.workflows.runs).toHaveLength(1);
});

test('R-13: a job that ended without having begun is followed by another one, under its own number', async () => {
  desk = await openAppDesk();
  const { run } = await desk.begin();
  const [first] = desk.github.workflows.runs;
  await desk.endActionsRun(first?.id ?? 0, 'failure');
  expect(desk.github.workflows.runs).toHaveLength(2);
  expect(await desk.dispatch(1, 'build', run)).toMatchObject({ job: 1, ended_at: undefined });
});

test('R-13: a dispatch is for the number of the job that it was decided for, and the run needs one number', () => {
  // The first job has left its work to a second one.
  const { state } = startRun().turn().park();
  const dispatch = { op: 'r1.1.0', run: 'r1', kind: 'build' as const, decided_at: state.updated_at };
  expect([1, 2, 3].filter((job) => isNeeded(state, { ...dispatch, job }))).toEqual([2]);
});

test('a dispatch records the Actions run it started, and the verification it is for', async () => {
  desk = await openAppDesk();
  const run = startRun({ freshVerification: true, startMs: Date.now() - 3_600_000 });
  run.turn({ report: { status: 'implemented', summary: 'x' }, verification: PASSING });
  await desk.seed(run);
  const started = desk.github.workflows.runs.find(({ inputs }) => inputs.kind === 'verify');
  const ticket = await desk.store.tickets.find(desk.deps.hash(started?.inputs.ticket ?? ''));
  expect(ticket).toMatchObject({ kind: 'verify', verification: '1.1' });
  expect((await desk.store.dispatches.find(ticket?.op ?? ''))?.actions_run).toBe(started?.id);
});
