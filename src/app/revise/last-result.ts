import type { RunState } from '../../core/contracts/run-state.ts';

type EndedRound = NonNullable<RunState['revisions']>[number];

/** The round whose work is published. */
export function roundToPublish({ revisions = [] }: RunState): EndedRound | undefined {
  return revisions.slice(-1).find(hasResult);
}

export function hasResult({ outcome }: EndedRound): boolean {
  return outcome === 'done' || outcome === 'partial';
}
