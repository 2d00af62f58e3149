import { renderReceipt } from '../../comments/github/render-receipt.ts';
import type { CommentContext } from '../../core/contracts/comment-context.ts';
import { commentContext } from '../comment-context.ts';
import { upsertComment } from '../upsert-comment.ts';
import type { EffectContext } from './effect-context.ts';

/** The last comment of a run. Written once, and rewritten if its statement about the pull request turned out wrong. */
export async function showReceipt({ deps, github, state, target }: EffectContext): Promise<CommentContext> {
  const op = `${state.run}.receipt`;
  const where = await commentContext(deps, state, target, op, true);
  const body = renderReceipt(state, where);
  await upsertComment(deps, github, { run: state.run, op, body, issue: target.issue });
  return where;
}
