import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { decide } from '../../../src/core/decide/decide.ts';
import { briefFor } from '../../../src/core/decide/orders/brief-for.ts';
import { initialStates } from '../../../src/guards/observe.ts';
import { RULES } from '../../../src/guards/rules.ts';
import { createJob, type JobOptions, type JobProgress } from '../../../src/runner/job/job.ts';
import { Run, startRun, USAGE } from '../../core/run-builder.ts';

test('E-17: counters that another version kept begin anew, the others go on, and the log says so', () => {
  const run = startRun().turns(2).park();
  const brief = briefFor(run.state);
  const told: JobProgress[] = [];
  const options: Partial<JobOptions> = {
    brief: { ...brief, guards: { ...brief.guards, same_error_repeated: { occurrences: 'x' } } },
    runDir: `${tmpdir()}/there-is-no-such-run`,
    now: () => new Date(0),
    onProgress: (progress) => told.push(progress),
  };
  const { meter } = createJob(options as JobOptions);
  expect(told).toMatchObject([{ type: 'problem', text: expect.stringContaining('same_error_repeated') }]);
  expect(meter.states()).toEqual({
    ...brief.guards,
    same_error_repeated: initialStates().same_error_repeated,
  });
  expect(meter.states().max_iterations).toEqual({ count: 2 });
});

test('E-17: a new run tells of no counters', () => {
  const told: JobProgress[] = [];
  const options: Partial<JobOptions> = {
    brief: briefFor(new Run().state),
    runDir: `${tmpdir()}/there-is-no-such-run`,
    now: () => new Date(0),
    onProgress: (progress) => told.push(progress),
  };
  expect(createJob(options as JobOptions).meter.states()).toEqual(initialStates());
  expect(told).toEqual([]);
});

test('E-17: the desk decides on such counters without a crash', () => {
  const run = startRun().beginTurn();
  const measured = { ...run.meter.measured(), guards: { same_error_repeated: { occurrences: 'x' } } };
  const envelope = run.envelope('tripped', { usage: USAGE, measured });
  expect(decide(run.state, { type: 'claim', envelope }, RULES)).toEqual({ events: [], effects: [] });
});
