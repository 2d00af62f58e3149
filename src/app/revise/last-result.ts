import type { RunState } from '../../core/contracts/run-state.ts';

type EndedRound = NonNullable<RunState['revisions']>[number];

/** The newest round that had a result. The words of a review belong to a round without one no more than to none. */
export function lastResult({ revisions = [] }: RunState): EndedRound | undefined {
  return revisions.findLast(hasResult);
}

/** The round whose work is published. */
export function roundToPublish({ revisions = [] }: RunState): EndedRound | undefined {
  return revisions.slice(-1).find(hasResult);
}

function hasResult({ outcome }: EndedRound): boolean {
  return outcome === 'done' || outcome === 'partial';
}
