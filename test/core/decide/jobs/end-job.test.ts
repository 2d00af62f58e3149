import { expect, test } from 'vitest';
import { startRun } from '../../run-builder.ts';

/** The first job has left its work to a second one, which is on its way. */
function secondJob() {
  return startRun().turn().park();
}

test.each([1, 3])('R-13: a refusal to start job %d is no word about job 2, which the run needs', (job) => {
  const run = secondJob();
  const reply = { tone: 'refused' as const, title: 'No.', detail: '' };
  run.feed({ type: 'dispatch_refused', at: run.now(), kind: 'build', job, reply });
  expect(run.last).toEqual({ events: [], effects: [] });
  run.feed({ type: 'dispatch_refused', at: run.now(), kind: 'build', job: 2, reply });
  expect(run.types).toEqual(['escalation_raised']);
});

test.each([
  ['was cancelled by a person', true],
  ['ended', undefined],
] as const)('R-13: a job that has a successor at work %s: the successor works on', (_, cancelled) => {
  const run = secondJob().startJob().beginTurn();
  run.feed({ type: 'job_ended', at: run.now(), job: 1, kind: 'build', outcome: 'it ended', cancelled });
  expect(run.last).toEqual({ events: [], effects: [] });
});
