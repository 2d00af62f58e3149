import { renderAnswered } from '../../comments/github/render-answered.ts';
import { renderEscalation } from '../../comments/github/render-escalation.ts';
import type { Escalation } from '../../core/contracts/escalation.ts';
import { isStopped } from '../../core/decide/is-still-wanted.ts';
import type { GitHubComment } from '../../core/ports/github-port.ts';
import { commentContext } from '../comment-context.ts';
import { minimise } from '../minimise.ts';
import { newTicks } from '../ticked-boxes.ts';
import { readMarker, upsertComment, wasTried } from '../upsert-comment.ts';
import type { EffectContext } from './effect-context.ts';
import { newestReview } from './show-review.ts';

/** The question is one comment for its whole life: asked, partly answered, answered, and in the end outdated. */
export async function writeQuestion(context: EffectContext, id: string, open: boolean): Promise<void> {
  const { deps, github, state, target } = context;
  const { run } = state;
  const escalation = state.escalations.find((candidate) => candidate.id === id);
  if (!escalation) return;
  const op = `${run}.${id}`;
  // a question that nobody has seen is not shown after the cancel.
  if (isStopped(state) && !(await wasTried(deps, op))) return;
  const present = open ? await findPresent(context, op) : undefined;
  // Somebody was quicker: writing now would take the tick away before it was seen. It is read by its webhook, or by reconcile.
  if (present && newTicks('', present.body).length > 0) return;
  const where = await commentContext(deps, state, target, op, open);
  const body = open ? renderEscalation(state, escalation, where) : renderAnswered(state, escalation, where);
  await upsertComment(deps, github, target, { run, op, body });
  for (const outdated of await outdatedBy(context, escalation, open))
    await minimise(deps, github, run, outdated);
}

/** An answered question stays in sight until the next one is asked; what asked for the answer goes with the answer. */
async function outdatedBy(
  { deps, state }: EffectContext,
  { id, status, reminders }: Escalation,
  open: boolean,
): Promise<string[]> {
  const { run, escalations } = state;
  const before = escalations[escalations.findIndex((escalation) => escalation.id === id) - 1];
  if (open) return before ? [`${run}.${before.id}`] : [];
  const review = await newestReview(deps, run);
  return [
    ...(status === 'agent_terminated' ? [`${run}.${id}`] : []),
    ...(reminders > 0 ? [`${run}.${id}.n${reminders}`] : []),
    ...(review?.escalation === id ? [review.op] : []),
  ];
}

/** As it stands on GitHub, where it does. One that somebody has deleted is forgotten, so that it is written anew. */
async function findPresent(
  { deps, github, state, target }: EffectContext,
  op: string,
): Promise<GitHubComment | undefined> {
  const { comments } = deps.store;
  const known = await comments.find(state.run, op);
  if (!known) return undefined;
  const present = await github.comment(known.comment_id);
  // Without a hash it is to be put back, ticks and all.
  if (present) return known.body_hash ? present : undefined;
  // Written anew before, and the answer was lost.
  const again = (await github.comments(target.issue)).findLast(
    ({ app_id, body }) => app_id === deps.settings.appId && readMarker(body)?.op === op,
  );
  const { id: comment_id, node_id } = again ?? { id: known.comment_id, node_id: known.node_id };
  await comments.save(state.run, op, { comment_id, node_id, body_hash: '' });
  return again;
}
