import type { AppDependencies } from '../dependencies.ts';
import { restoreComment } from '../restore-comment.ts';

/**
 * A comment of ours that somebody deleted is written again. Reconcile finds out as well, but while the run works it counts the
 * comments of the issue, and another one may have come meanwhile.
 */
export async function onCommentDeleted(
  deps: AppDependencies,
  { id, isBot }: { id: number; isBot: boolean },
): Promise<void> {
  const ours = await deps.store.comments.ofComment(id);
  const { state } = ours?.run ? await deps.store.runs.load(ours.run) : {};
  if (!ours || !state) return;
  await restoreComment(deps, state, ours, `deleted:${id}`, { editedBy: isBot ? 'app' : 'person' });
}
