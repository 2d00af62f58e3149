import { renderReminder } from '../../comments/render-reminder.ts';
import type { Effect } from '../../core/effect.ts';
import { commentContext } from '../comment-context.ts';
import { upsertComment } from '../upsert-comment.ts';
import type { Doing } from './perform-effect.ts';

/** The question itself mentions whoever labelled the issue; a reminder is a comment of its own, because edits notify nobody. */
export async function notifyPeople(doing: Doing, effect: Extract<Effect, { type: 'notify' }>): Promise<void> {
  const { parts, github, state, place } = doing;
  const escalation = state.escalations.find(({ id }) => id === effect.escalation);
  if (escalation?.status !== 'pending') return;
  if (effect.reminder > 0) {
    const op = `${state.run}.${escalation.id}.n${effect.reminder}`;
    const where = await commentContext(parts, state, place, op, place.labelled_by);
    await upsertComment(parts, github, place, {
      run: state.run,
      op,
      body: renderReminder(state, escalation, where),
    });
    const earlier = await parts.store.comments.find(
      state.run,
      `${state.run}.${escalation.id}.n${effect.reminder - 1}`,
    );
    if (earlier) await github.minimizeComment(earlier.node_id);
  }
  await postWebhook(
    doing,
    `${place.owner}/${place.repo}#${place.issue}: waiting for you: ${escalation.headline}`,
  );
}

async function postWebhook({ parts, state, op }: Doing, text: string): Promise<void> {
  const { notifyUrl, publicUrl } = parts.settings;
  if (!notifyUrl) return;
  const answer = await parts.fetch(notifyUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: `${text}\n${publicUrl}/runs/${state.run}`, id: op }),
  });
  // A chat that is down must not hold up the run: it is logged, the comment is there.
  if (!answer.ok)
    parts.log.warn({ run: state.run, status: answer.status }, 'the notification webhook refused');
}
