import { afterEach, expect, test } from 'vitest';
import { refuse } from '../../../src/sandbox/github/gap.ts';
import { startRun } from '../../core/run-builder.ts';
import { type AppDesk, openAppDesk, SEEDED_ACTIONS_RUN } from '../app-desk.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

const MINUTE_MS = 60_000;

async function minutes(count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    desk.clock.ms += MINUTE_MS;
    await desk.reconcile();
    await desk.watchJobs();
  }
}

test('R-13: a job whose Actions run somebody deleted, and whose end nobody told, is replaced', async () => {
  desk = await openAppDesk();
  await desk.seed(startRun({ startMs: Date.now() - 60 * MINUTE_MS }).turn());
  await minutes(5);
  expect((await desk.state()).losses).toBeUndefined();
  desk.interfere(({ path }) =>
    path.endsWith(`/actions/runs/${SEEDED_ACTIONS_RUN}`) ? refuse(404, 'Not Found') : undefined,
  );
  await minutes(5);
  expect(await desk.state()).toMatchObject({ losses: 1, job_live: false });
  expect(desk.github.workflows.runs).toHaveLength(1);
  expect(await desk.dispatch()).toMatchObject({ outcome: 'the Actions run ended (deleted)' });
});

test('R-13: an Actions run that GitHub gave no id of, and that is over when it is found, ends at that look', async () => {
  desk = await openAppDesk();
  const { github } = desk.deps;
  desk.deps.github = async (repository) => {
    const present = await github(repository);
    return {
      ...present,
      dispatchWorkflow: async (...args) => {
        await present.dispatchWorkflow(...args);
        return {};
      },
      workflowRuns: async (...args) =>
        (await present.workflowRuns(...args)).map((run) => ({
          ...run,
          status: 'completed',
          conclusion: 'failure',
        })),
    };
  };
  const { run } = await desk.begin();
  desk.clock.ms += 4 * MINUTE_MS;
  await desk.reconcile();
  const asked = await desk.store.dispatches.ofRun(run, 9);
  expect(asked.at(-1)?.outcome).toBe('the Actions run ended (failure)');
  expect((await desk.state(run)).losses).toBe(1);
});
