import { phaseOf } from '../../core/contracts/run-state.ts';
import type { AppDependencies } from '../dependencies.ts';
import { restoreDeleted } from '../restore-comment.ts';

/**
 * A status or an open question that somebody deleted is written again; people may tidy away everything else. Reconcile finds out as
 * well, but while the run works it counts the comments of the issue, and another one may have come meanwhile.
 */
export async function onCommentDeleted(deps: AppDependencies, { id }: { id: number }): Promise<void> {
  const ours = await deps.store.comments.ofComment(id);
  const { state } = ours?.run ? await deps.store.runs.load(ours.run) : {};
  if (!ours || !state || phaseOf(state) === 'ended') return;
  const { run, pending } = state;
  if ([`${run}.status`, `${run}.${pending}`].includes(ours.op)) await restoreDeleted(deps, state, ours);
}
