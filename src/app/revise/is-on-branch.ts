import type { RunState } from '../../core/contracts/run-state.ts';
import type { Publication } from '../../core/ports/publications.ts';

type EndedRound = NonNullable<RunState['revisions']>[number];

/**
 * Whether what a round says about the files is true of the branch. If a later round was published or refused since, the record of the
 * round's own commit tells. A round that changed nothing needs none.
 */
export function isOnBranch(
  { number, outcome }: Pick<EndedRound, 'number' | 'outcome'>,
  { unpublished, rounds }: Publication,
): boolean {
  return !unpublished || outcome === 'unchanged' || rounds?.[number] !== undefined;
}
