import type { RunState } from '../../core/contracts/run-state.ts';
import type { ThreadComment } from '../../core/ports/github/review-port.ts';
import type { AppDependencies } from '../dependencies.ts';
import { readMarker } from '../upsert-comment.ts';

/** The operation id of the reply to one thread, the same for every try (V-4). */
export function replyOp(run: string, round: number, remark: string): string {
  return `${run}.round-${round}.${remark}`;
}

const OP = /\.round-(\d+)\.(R\d+)$/;
/** The reply says that the remark is still open, and so it is. */
const OPEN: ReadonlySet<string | undefined> = new Set(['unanswered', 'unchanged']);

/** Whether a comment in a thread is an answer of this desk that settles the remark. */
export function isAnswer(
  deps: AppDependencies,
  { revisions = [] }: Pick<RunState, 'revisions'>,
  comment: ThreadComment,
  pull: number,
): boolean {
  const [, round, id] = OP.exec(readMarker(comment.body)?.op ?? '') ?? [];
  if (id === undefined || !comment.is_own) return false;
  const { body, author, author_type } = comment;
  // GraphQL says who wrote it where REST names the App.
  if (!(deps.ownership.isOurs({ body, author, author_type }, pull) || author_type === 'Bot')) return false;
  const ended = revisions.find(({ number }) => number === Number(round));
  return !OPEN.has(ended?.remarks.find((remark) => remark.id === id)?.result);
}
