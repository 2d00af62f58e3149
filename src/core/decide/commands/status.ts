import type { LimitsInForce } from '../../contracts/guard.ts';
import {
  figuresOfRound,
  filesOfRun,
  lastVerification,
  pendingEscalation,
  type RunState,
  waitsOverClosedPull,
} from '../../contracts/run-state.ts';
import { score } from '../../contracts/verification.ts';
import type { CommandRule } from './command-rule.ts';
import { informed } from './informed.ts';

const MINUTE_MS = 60_000;

export const statusRule: CommandRule = {
  listed: { asked: 'last', working: 'last', paused: 'last', resting: 'last', ended: 'last' },
  ...informed(({ state, rules }) => ({
    title: describeStatus(state),
    detail: describeFigures(state, rules.limitsInForce(state.limits)),
  })),
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

/** The progress and the use so far, beside the limits. V-1: turns and time are limited by round, so between rounds they have no limit. */
function describeFigures(
  state: RunState,
  { turns, minutes, files, cost }: LimitsInForce,
): string | undefined {
  const verification = lastVerification(state) ?? state.baseline;
  if (!verification && state.turn === 0) return undefined;
  const betweenRounds = state.began !== undefined && !state.revision;
  const { turn, max_turns, active_ms } =
    figuresOfRound(state, { ...state, max_turns: turns }) ??
    ({ ...state, max_turns: betweenRounds ? null : turns } as const);
  const checks = verification && score(verification);
  const changed = filesOfRun(state);
  const { cost_usd } = state.usage;
  const dollars = cost?.dollars === undefined ? '' : ` of $${cost.dollars.toFixed(2)}`;
  const figures = [
    `Turn ${ofLimit(turn, max_turns)}`,
    checks && `${checks.passed} of ${checks.total} ${checks.unit} pass`,
    `${ofLimit(changed, files)} ${changed === 1 && files === null ? 'file' : 'files'} changed`,
    `${ofLimit(Math.floor(active_ms / MINUTE_MS), betweenRounds ? null : minutes)} min`,
    cost_usd !== null && `$${cost_usd.toFixed(2)}${dollars}`,
  ];
  return figures.filter(Boolean).join(' · ');
}

function ofLimit(value: number, limit: number | null): string {
  return limit === null ? String(value) : `${value} of ${limit}`;
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
