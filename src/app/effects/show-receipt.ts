import { renderReceipt } from '../../comments/github/render-receipt.ts';
import type { CommentContext } from '../../core/contracts/comment-context.ts';
import { commentContext } from '../comment-context.ts';
import { upsertComment } from '../upsert-comment.ts';
import type { Doing } from './effect-context.ts';

/** The last comment of a run. Written once, and corrected when what it says of the pull request was not so. */
export async function showReceipt({ parts, github, state, place }: Doing): Promise<CommentContext> {
  const op = `${state.run}.receipt`;
  const where = await commentContext(parts, state, place, op, true);
  await upsertComment(parts, github, place, { run: state.run, op, body: renderReceipt(state, where) });
  return where;
}
