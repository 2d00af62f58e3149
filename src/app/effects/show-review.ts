import { renderReview } from '../../comments/github/render-review.ts';
import { commentContext } from '../comment-context.ts';
import type { AppParts } from '../dependencies.ts';
import { minimise } from '../minimise.ts';
import { upsertComment } from '../upsert-comment.ts';
import type { Doing } from './effect-context.ts';

interface ShownReview {
  op: string;
  /** The question that comes again under it. */
  escalation?: string;
}

const newestMark = (run: string) => `review:${run}`;
const questionMark = (op: string) => `question-in:${op}`;

/** One comment per `/review`; an older one is outdated. A question that was answered meanwhile is not asked again. */
export async function showReview(doing: Doing, escalationId: string | undefined): Promise<void> {
  const { parts, github, state, place, op } = doing;
  const { run } = state;
  // Before it can be ticked, it must be known what the boxes are for.
  await parts.store.marks.set(questionMark(op), escalationId ?? '');
  const open = state.escalations.find(({ id }) => id === escalationId && id === state.pending);
  const where = await commentContext(parts, state, place, op);
  await upsertComment(parts, github, place, { run, op, body: renderReview(state, open, where) });
  const earlier = await newestReview(parts, run);
  if (earlier?.op === op) return;
  const newest: ShownReview = { op, escalation: escalationId };
  await parts.store.marks.set(newestMark(run), JSON.stringify(newest));
  if (earlier) await minimise(parts, github, run, earlier.op);
}

export async function newestReview(parts: AppParts, run: string): Promise<ShownReview | undefined> {
  const text = await parts.store.marks.get(newestMark(run));
  return text === undefined ? undefined : (JSON.parse(text) as ShownReview);
}

/** Undefined: the operation wrote no review. Empty: one without a question. */
export function questionOfReview(parts: AppParts, op: string): Promise<string | undefined> {
  return parts.store.marks.get(questionMark(op));
}
