import type { RunState } from '../../core/contracts/run-state.ts';
import type { ReviewedPull } from '../../core/ports/github/review-port.ts';
import type { AppDependencies } from '../dependencies.ts';
import { readMarker } from '../upsert-comment.ts';
import { replyOp } from './remark-marker.ts';

/** The rounds whose summary reviewers can read. A round that was never published has none, so it has settled nothing. */
export async function answeredRounds(
  deps: AppDependencies,
  { run, revisions = [] }: Pick<RunState, 'run' | 'revisions'>,
  { reviews }: ReviewedPull,
): Promise<ReadonlySet<number>> {
  const submitted = reviews.filter(({ is_own, state }) => is_own && state !== 'PENDING');
  const ops = new Set(submitted.map(({ body }) => readMarker(body)?.op));
  const answered = new Set<number>();
  for (const { number } of revisions) {
    const op = replyOp(run, number, 'summary');
    // Where no review can be begun, the summary is a comment.
    if (ops.has(op) || (await deps.store.comments.find(op))?.comment_id !== undefined) answered.add(number);
  }
  return answered;
}
