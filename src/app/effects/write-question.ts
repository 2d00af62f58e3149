import { renderAnswered } from '../../comments/github/render-answered.ts';
import { renderEscalation } from '../../comments/github/render-escalation.ts';
import type { Escalation } from '../../core/contracts/escalation.ts';
import { endedWithoutResult } from '../../core/decide/is-still-wanted.ts';
import type { GitHubComment } from '../../core/ports/github-port.ts';
import { commentContext } from '../comment-context.ts';
import { minimise } from '../minimise.ts';
import { noteSilence } from '../silence.ts';
import { newTicks } from '../ticked-boxes.ts';
import { findByMarker, isWritten, upsertComment } from '../upsert-comment.ts';
import type { EffectContext } from './effect-context.ts';
import { withDiffs } from './work-diffs.ts';

/** A question is one comment, rewritten in every state: asked, partly answered, answered, outdated. */
export async function writeQuestion(context: EffectContext, id: string, open: boolean): Promise<void> {
  const { deps, github, state, target } = context;
  const { run } = state;
  const escalation = state.escalations.find((candidate) => candidate.id === id);
  if (!escalation) return;
  const op = `${run}.${id}`;
  // a question that nobody has seen is not posted after a cancel.
  if (endedWithoutResult(state) && !(await wasPosted(context, op))) return;
  if (open) await noteSilence(deps, state, { type: 'update_status' });
  const where = await commentContext(deps, state, target, op, open);
  const body = open
    ? renderEscalation(state, await withDiffs(context, escalation), where)
    : renderAnswered(state, escalation, where);
  // nor is one written again that somebody deleted since.
  const restores = !endedWithoutResult(state);
  const comment = { run, op, body, issue: target.issue, restores };
  const present = open && !(await isWritten(deps, comment)) ? await findPresent(context, op) : undefined;
  // A person ticked a box that no handler has read yet. Writing now would erase the tick; its webhook or reconcile reads it.
  if (present && newTicks('', present.body).length > 0) return;
  await upsertComment(deps, github, comment);
  for (const outdated of await outdatedBy(context, escalation, open)) await minimise(deps, github, outdated);
}

/** A comment may be there although GitHub's answer to its creation was lost, and a recorded attempt may have failed. */
async function wasPosted({ deps, github, target }: EffectContext, op: string): Promise<boolean> {
  const known = await deps.store.comments.find(op);
  if (known?.comment_id !== undefined) return true;
  return known !== undefined && (await findByMarker(deps, github, target.issue, known)) !== undefined;
}

/**
 * Operations whose comments are outdated. An answered question stays visible until the next one is asked; reminders and reviews
 * of it are minimised at once.
 */
async function outdatedBy(
  { deps, state }: EffectContext,
  { id, status, reminders }: Escalation,
  open: boolean,
): Promise<string[]> {
  const { run, escalations } = state;
  const before = escalations[escalations.findIndex((escalation) => escalation.id === id) - 1];
  if (open) return before ? [`${run}.${before.id}`] : [];
  const review = await deps.store.comments.newest(run, 'review');
  return [
    ...(status === 'agent_terminated' ? [`${run}.${id}`] : []),
    // The reminder before the last one may still wait to be folded away.
    ...[reminders - 1, reminders].filter((number) => number > 0).map((number) => `${run}.${id}.n${number}`),
    ...(review?.escalation === id ? [review.op] : []),
  ];
}

/** Reads the question's comment from GitHub. If somebody deleted it, it is forgotten so that it is created again. */
async function findPresent(
  { deps, github, target }: EffectContext,
  op: string,
): Promise<GitHubComment | undefined> {
  const { comments } = deps.store;
  const known = await comments.find(op);
  if (known?.comment_id === undefined) return undefined;
  const present = await github.comment(known.comment_id);
  // An empty hash means that the comment is to be restored, whatever was ticked in it.
  if (present) return known.body_hash ? present : undefined;
  // It may have been created again already, with a lost response.
  const again = await findByMarker(deps, github, target.issue, known);
  await comments.save(op, { ...(again && { comment_id: again.id, node_id: again.node_id }), body_hash: '' });
  return again;
}
