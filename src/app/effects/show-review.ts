import { renderReview } from '../../comments/github/render-review.ts';
import { commentContext } from '../comment-context.ts';
import { minimise } from '../minimise.ts';
import { upsertComment } from '../upsert-comment.ts';
import type { EffectContext } from './effect-context.ts';

/** Writes one comment per `/review` and collapses the older one. A question that was answered meanwhile is not repeated. */
export async function showReview(
  { deps, github, state, target, op: own }: EffectContext,
  { escalation, op = own }: { escalation?: string; op?: string },
): Promise<void> {
  const { run } = state;
  const { comments } = deps.store;
  const open = state.escalations.find(({ id }) => id === escalation && id === state.pending);
  const where = await commentContext(deps, state, target, op);
  const body = renderReview(state, open, where);
  await upsertComment(deps, github, { run, op, body, issue: target.issue, kind: 'review', escalation });
  const earlier = await comments.newest(run, 'review', op);
  if (earlier) await minimise(deps, github, earlier.op);
}
