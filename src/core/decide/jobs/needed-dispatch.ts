import { type RunState, verificationName } from '../../contracts/run-state.ts';
import { type Dispatch, STOPPED } from '../../ports/dispatches.ts';
import { neededJob } from './end-job.ts';

/**
 * Whether the dispatch starts, or started, the job that the run needs now. A job that Autobuild has stopped is not that job. A job
 * whose ticket was used twice is, until people are asked about it, because a successor would hide the reason from people.
 */
export function isFor(state: RunState, { job, kind, verification, outcome }: Dispatch): boolean {
  if (outcome === STOPPED) return false;
  if (kind === 'verify') return state.verifying !== undefined && verification === verificationName(state);
  return job === neededJob(state);
}
