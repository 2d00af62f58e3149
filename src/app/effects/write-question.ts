import { renderAnswered } from '../../comments/github/render-answered.ts';
import { renderEscalation } from '../../comments/github/render-escalation.ts';
import type { Escalation } from '../../core/contracts/escalation.ts';
import { isStopped } from '../../core/decide/is-still-wanted.ts';
import type { GitHubComment } from '../../core/ports/github-port.ts';
import { commentContext } from '../comment-context.ts';
import { minimise } from '../minimise.ts';
import { newTicks } from '../ticked-boxes.ts';
import { readMarker, upsertComment, wasTried } from '../upsert-comment.ts';
import type { Doing } from './effect-context.ts';
import { newestReview } from './show-review.ts';

/** The question is one comment for its whole life: asked, partly answered, answered, and in the end outdated. */
export async function writeQuestion(doing: Doing, id: string, open: boolean): Promise<void> {
  const { parts, github, state, place } = doing;
  const { run } = state;
  const escalation = state.escalations.find((candidate) => candidate.id === id);
  if (!escalation) return;
  const op = `${run}.${id}`;
  // a question that nobody has seen is not shown after the cancel.
  if (isStopped(state) && !(await wasTried(parts, op))) return;
  const present = open ? await findPresent(doing, op) : undefined;
  // Somebody was quicker: writing now would take the tick away before it was seen. It is read by its webhook, or by reconcile.
  if (present && newTicks('', present.body).length > 0) return;
  const where = await commentContext(parts, state, place, op, open);
  const body = open ? renderEscalation(state, escalation, where) : renderAnswered(state, escalation, where);
  await upsertComment(parts, github, place, { run, op, body });
  for (const outdated of await outdatedBy(doing, escalation, open))
    await minimise(parts, github, run, outdated);
}

/** An answered question stays in sight until the next one is asked; what asked for the answer goes with the answer. */
async function outdatedBy(
  { parts, state }: Doing,
  { id, status, reminders }: Escalation,
  open: boolean,
): Promise<string[]> {
  const { run, escalations } = state;
  const before = escalations[escalations.findIndex((escalation) => escalation.id === id) - 1];
  if (open) return before ? [`${run}.${before.id}`] : [];
  const review = await newestReview(parts, run);
  return [
    ...(status === 'agent_terminated' ? [`${run}.${id}`] : []),
    ...(reminders > 0 ? [`${run}.${id}.n${reminders}`] : []),
    ...(review?.escalation === id ? [review.op] : []),
  ];
}

/** As it stands on GitHub, where it does. One that somebody has deleted is forgotten, so that it is written anew. */
async function findPresent(
  { parts, github, state, place }: Doing,
  op: string,
): Promise<GitHubComment | undefined> {
  const { comments } = parts.store;
  const known = await comments.find(state.run, op);
  if (!known) return undefined;
  const present = await github.comment(known.comment_id);
  // Without a hash it is to be put back, ticks and all.
  if (present) return known.body_hash ? present : undefined;
  // Written anew before, and the answer was lost.
  const again = (await github.comments(place.issue)).findLast(
    ({ app_id, body }) => app_id === parts.settings.appId && readMarker(body)?.op === op,
  );
  const { id: comment_id, node_id } = again ?? { id: known.comment_id, node_id: known.node_id };
  await comments.save(state.run, op, { comment_id, node_id, body_hash: '' });
  return again;
}
