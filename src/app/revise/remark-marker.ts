import type { ThreadComment } from '../../core/ports/github/review-port.ts';
import type { AppDependencies } from '../dependencies.ts';
import { readMarker } from '../upsert-comment.ts';

/** The operation id of the reply to one thread, the same for every try (V-4). */
export function replyOp(run: string, round: number, remark: string): string {
  return `${run}.round-${round}.${remark}`;
}

/** Whether a comment in a thread is an answer of this desk. */
export function isAnswer(deps: AppDependencies, comment: ThreadComment, pull: number): boolean {
  if (readMarker(comment.body)?.op.includes('.round-') !== true) return false;
  const { body, author, author_type } = comment;
  // GraphQL says who wrote it where REST names the App.
  return comment.is_own
    ? deps.ownership.isOurs({ body, author, author_type }, pull) || author_type === 'Bot'
    : false;
}
