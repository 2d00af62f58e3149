import { renderReview } from '../../comments/github/render-review.ts';
import { commentContext } from '../comment-context.ts';
import type { AppDependencies } from '../dependencies.ts';
import { minimise } from '../minimise.ts';
import { upsertComment } from '../upsert-comment.ts';
import type { EffectContext } from './effect-context.ts';

interface ShownReview {
  op: string;
  /** The question that is repeated below the review. */
  escalation?: string;
}

const newestMark = (run: string) => `review:${run}`;
const questionMark = (op: string) => `question-in:${op}`;

/** Writes one comment per `/review` and minimises the previous one. A question that was answered meanwhile is not repeated. */
export async function showReview(context: EffectContext, escalationId: string | undefined): Promise<void> {
  const { deps, github, state, target, op } = context;
  const { run } = state;
  // Stored first, because a box can be ticked as soon as the comment exists.
  await deps.store.marks.set(questionMark(op), escalationId ?? '');
  const open = state.escalations.find(({ id }) => id === escalationId && id === state.pending);
  const where = await commentContext(deps, state, target, op);
  await upsertComment(deps, github, target, { run, op, body: renderReview(state, open, where) });
  const earlier = await newestReview(deps, run);
  if (earlier?.op === op) return;
  const newest: ShownReview = { op, escalation: escalationId };
  await deps.store.marks.set(newestMark(run), JSON.stringify(newest));
  if (earlier) await minimise(deps, github, run, earlier.op);
}

export async function newestReview(deps: AppDependencies, run: string): Promise<ShownReview | undefined> {
  const text = await deps.store.marks.get(newestMark(run));
  return text === undefined ? undefined : (JSON.parse(text) as ShownReview);
}

/** Undefined if the operation wrote no review, empty if it wrote one without a question. */
export function questionOfReview(deps: AppDependencies, op: string): Promise<string | undefined> {
  return deps.store.marks.get(questionMark(op));
}
