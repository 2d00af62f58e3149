import type { Effect } from '../../contracts/effect.ts';
import type { RunEvent } from '../../contracts/run-event.ts';
import type { RunState } from '../../contracts/run-state.ts';
import { evolve } from '../evolve.ts';

/** The job that a run needs when it continues. A verification that was asked for before a pause is still that attempt. */
export function nextJob(state: RunState, events: readonly RunEvent[]): Effect[] {
  const { job_live, verifying } = events.reduce<RunState>(evolve, state);
  if (job_live) return [];
  return [{ type: verifying === undefined ? 'dispatch_job' : 'dispatch_verification' }];
}

/** For a decision that needs another job, or none. */
export function withoutJob(effects: readonly Effect[]): Effect[] {
  return effects.filter(({ type }) => type !== 'dispatch_job' && type !== 'dispatch_verification');
}
