import type { RunState } from '../../core/contracts/run-state.ts';
import type { ReviewedPull } from '../../core/ports/github/review-port.ts';
import type { AppDependencies } from '../dependencies.ts';
import { readMarker } from '../upsert-comment.ts';
import { remarksInSummary, replyOp } from './remark-marker.ts';

/**
 * The rounds whose summary reviewers can read, each with the remarks that are answered in the summary itself. A round that was
 * never published has none, so it has settled nothing.
 */
export async function answeredRounds(
  deps: AppDependencies,
  { run, revisions = [] }: Pick<RunState, 'run' | 'revisions'>,
  { reviews }: ReviewedPull,
): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const submitted = reviews.filter(({ is_own, state }) => is_own && state !== 'PENDING');
  const bodies = new Map(submitted.map(({ body }) => [readMarker(body)?.op, body]));
  const answered = new Map<number, ReadonlySet<string>>();
  for (const { number } of revisions) {
    const op = replyOp(run, number, 'summary');
    const body = bodies.get(op);
    // Where no review can be begun, the summary is a comment.
    if (body !== undefined || (await deps.store.comments.find(op))?.comment_id !== undefined)
      answered.set(number, remarksInSummary(body ?? ''));
  }
  return answered;
}
