import { expect } from 'vitest';
import type { Input } from '../../src/core/contracts/input.ts';
import { Run } from './run-builder.ts';

export const LOG = 'https://github.com/olivia/shop/actions/runs/7';

type Ended = Extract<Input, { type: 'job_ended' }>;

/** The Actions run of the job that is needed next, or of the live one, ends early. */
export function endJob(run: Run, more: Partial<Ended> = {}) {
  const job = run.state.jobs + (run.state.job_live ? 0 : 1);
  const outcome = 'the Actions run ended (failure)';
  return run.feed({
    ...{ type: 'job_ended', at: run.now(), kind: 'build', job, outcome, log_url: LOG },
    ...more,
  });
}

/** Three jobs in a row ended before Autobuild began. */
export function neverStarts(run = new Run()): Run {
  for (let lost = 1; lost < 3; lost += 1) {
    endJob(run);
    expect(run.effectTypes).toContain('dispatch_job');
  }
  endJob(run);
  return run;
}

/** GitHub refuses to start the job that is needed next. */
export function refuse(run: Run, reply?: { title: string; detail: string }) {
  return run.feed({
    ...{ type: 'dispatch_refused', at: run.now(), job: run.state.jobs + 1, kind: 'build' },
    reply: reply && { tone: 'refused', ...reply },
  });
}

export const dispatches = (run: Run) => run.effectTypes.filter((type) => type === 'dispatch_job').length;
