import {
  figuresOfRound,
  pendingEscalation,
  type RunState,
  waitsOverClosedPull,
} from '../../contracts/run-state.ts';
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
  if (state.finished) return describeEnd(state.status, state.finished, roundWords(state));
  if (state.verifying) return 'Verifying the finished work, nothing needed from you';
  const { revision } = state;
  const hasTurn = state.turn_open || state.turns.length > (revision?.before.turns ?? 0);
  if (revision && !hasTurn)
    return `Building, round ${revision.number}: its first turn is next, nothing needed from you`;
  const { turn } = figuresOfRound(state, { ...state, max_turns: null }) ?? state;
  if (state.turn > 0)
    return `Building${revision ? `, round ${revision.number}` : ''}: turn ${turn}, nothing needed from you`;
  if (!state.job_live) return 'Starting';
  const now = state.baseline ? 'Starting the first turn' : 'Running the checks before the first turn';
  return `${now}, nothing needed from you`;
}

/** V-8: the round whose work this is. A round without a result changed nothing of it. */
function roundWords({ revisions = [] }: RunState): string {
  const last = revisions.findLast(({ outcome }) => outcome === 'done' || outcome === 'partial');
  return last ? `, round ${last.number}` : '';
}

function describeEnd(
  status: RunState['status'],
  finished: NonNullable<RunState['finished']>,
  round: string,
): string {
  const { reason, partial, by, expired } = finished;
  const inPart = `Partially done${round}${by ? `, accepted by ${by}` : ''}: ${reason}`;
  switch (status) {
    case 'reviewing':
      return partial ? inPart : `Done${round}: all checks pass, ready for review`;
    case 'approved':
      return partial ? inPart : `Done${round}: merged`;
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
