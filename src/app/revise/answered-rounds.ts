import type { RunState } from '../../core/contracts/run-state.ts';
import type { ReviewedPull } from '../../core/ports/github/review-port.ts';
import { laneKey, type RunTarget } from '../../core/ports/run-target.ts';
import type { AppDependencies } from '../dependencies.ts';
import { readMarker } from '../upsert-comment.ts';
import { isOnBranch } from './is-on-branch.ts';
import { remarksInSummary, replyOp } from './remark-marker.ts';

/**
 * The rounds whose summary reviewers can read, each with the remarks that are answered in the summary itself. A round that was
 * never published has none, so it has settled nothing. Answers that GitHub did not take yet will be there: until they are, or are
 * given up, their remarks count as answered, so that no other round is about them.
 */
export async function answeredRounds(
  deps: AppDependencies,
  { run, revisions = [] }: Pick<RunState, 'run' | 'revisions'>,
  target: Pick<RunTarget, 'repo_id' | 'issue'>,
  { reviews }: ReviewedPull,
): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const submitted = reviews.filter(({ is_own, state }) => is_own && state !== 'PENDING');
  const bodies = new Map(submitted.map(({ body }) => [readMarker(body)?.op, body]));
  const answered = new Map<number, ReadonlySet<string>>();
  const waiting = await waitingRounds(deps, run, target);
  const publication = await deps.store.publications.of(run);
  for (const round of revisions) {
    const { number, remarks } = round;
    const op = replyOp(run, number, 'summary');
    const body = bodies.get(op);
    // Where no review can be begun, the summary is a comment.
    if (body !== undefined || (await deps.store.comments.find(op))?.comment_id !== undefined)
      answered.set(number, remarksInSummary(body ?? ''));
    else if (waiting.has(number) && isOnBranch(round, publication))
      answered.set(number, new Set(remarks.map(({ id }) => id)));
  }
  return answered;
}

/** The rounds whose answers wait for their next try. */
async function waitingRounds(
  { store }: AppDependencies,
  run: string,
  { repo_id, issue }: Pick<RunTarget, 'repo_id' | 'issue'>,
): Promise<ReadonlySet<number>> {
  const waiting = await store.outbox.waiting(laneKey(repo_id, issue), run);
  return new Set(waiting.flatMap((effect) => (effect.type === 'answer_remarks' ? [effect.round] : [])));
}
