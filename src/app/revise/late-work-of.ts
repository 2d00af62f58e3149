import type { RunState } from '../../core/contracts/run-state.ts';
import { hasResult, roundToPublish } from './last-result.ts';

type EndedRound = NonNullable<RunState['revisions']>[number];

/**
 * Whether a merge or a close stopped the last round, which was at work: the run ended for the same reason. After `/cancel` it
 * has the reason that it had before the round.
 */
export function isStopped({ status, revisions, finished }: RunState): boolean {
  const last = revisions?.at(-1);
  if (!last || hasResult(last) || (status !== 'approved' && status !== 'rejected')) return false;
  return last.reason === finished?.reason;
}

/** Work that came too late for its pull request: that of a round, or without one that of the build. */
export interface LateWork {
  round?: EndedRound;
  /** As people read it, at the beginning of a sentence. */
  name: string;
  /** Ends the name of its branch. */
  ending: string;
}

/** Undefined: there is none. The work of a build is that of the store until a round has begun. */
export function lateWorkOf(state: RunState): LateWork | undefined {
  const round = isStopped(state) ? state.revisions?.at(-1) : roundToPublish(state);
  if (round) return { round, name: `Round ${round.number}`, ending: `round-${round.number}` };
  return state.finished && !state.revisions?.length ? { name: 'The work', ending: 'build' } : undefined;
}
