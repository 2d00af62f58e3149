import type { AppDependencies } from '../dependencies.ts';
import { comesBack, restoreDeleted } from '../restore/restore-comment.ts';

/**
 * Reconcile finds out as well that somebody deleted a comment of ours, but while the run works it counts the comments of the issue,
 * and another one may have come meanwhile.
 */
export async function onCommentDeleted(deps: AppDependencies, { id }: { id: number }): Promise<void> {
  const ours = await deps.store.comments.ofComment(id);
  const { state } = ours?.run ? await deps.store.runs.load(ours.run) : {};
  if (ours && state && comesBack(state, ours)) await restoreDeleted(deps, state, ours);
}
