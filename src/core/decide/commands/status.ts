import { pendingEscalation, type RunState, waitsOverClosedPull } from '../../contracts/run-state.ts';
import type { CommandRule } from './command-rule.ts';
import { informed } from './informed.ts';

export const statusRule: CommandRule = {
  listed: { asked: 'last', working: 'last', paused: 'last', resting: 'last', ended: 'last' },
  ...informed((state) => describeStatus(state)),
};

/** `resume` is what resumes a paused run where this is read. */
export function describeStatus(state: RunState, resume = '/continue'): string {
  const pending = pendingEscalation(state);
  if (pending) return `Waiting for you: ${pending.headline}`;
  if (waitsOverClosedPull(state))
    return `Paused: the pull request was closed by ${state.closed_pull?.by}; /continue opens a new one`;
  if (state.paused) return `Paused in turn ${state.turn}: resume with ${resume}`;
  if (state.finished) return describeEnd(state.status, state.finished);
  if (state.verifying) return 'Verifying the finished work, nothing needed from you';
  if (state.turn > 0) return `Building: turn ${state.turn}, nothing needed from you`;
  if (!state.job_live) return 'Starting';
  const now = state.baseline ? 'Starting the first turn' : 'Running the checks before the first turn';
  return `${now}, nothing needed from you`;
}

function describeEnd(status: RunState['status'], finished: NonNullable<RunState['finished']>): string {
  const { reason, partial, by, expired } = finished;
  const inPart = `Partially done${by ? `, accepted by ${by}` : ''}: ${reason}`;
  switch (status) {
    case 'reviewing':
      return partial ? inPart : 'Done: all checks pass, ready for review';
    case 'approved':
      return partial ? inPart : 'Done: merged';
    case 'rejected':
      return 'Closed without merging';
    case 'cancelled':
      return by && !expired ? `Cancelled by ${by}` : `Cancelled: ${reason}`;
    case 'terminated_by_human':
      return by ? `Terminated by ${by}` : 'Terminated';
    default:
      return `Failed: ${reason}`;
  }
}
