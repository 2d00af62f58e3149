import type { RunState } from '../../core/contracts/run-state.ts';

/** The newest round that had a result. The words of a review belong to a round without one no more than to none. */
export function lastResult({
  revisions = [],
}: RunState): NonNullable<RunState['revisions']>[number] | undefined {
  return revisions.findLast(({ outcome }) => outcome === 'done' || outcome === 'partial');
}
