import { renderChatLine } from '../../comments/github/render-chat-line.ts';
import { renderReminder } from '../../comments/github/render-reminder.ts';
import { cleanText } from '../../comments/text/clean-text.ts';
import type { CommentContext } from '../../core/contracts/comment-context.ts';
import type { Effect } from '../../core/contracts/effect.ts';
import type { Escalation } from '../../core/contracts/escalation.ts';
import { commentContext } from '../comment-context.ts';
import { write } from '../handle-input.ts';
import { minimise } from '../minimise.ts';
import { redactFor } from '../redact.ts';
import { upsertComment } from '../upsert-comment.ts';
import type { EffectContext } from './effect-context.ts';

/** The question itself mentions people. A reminder is a separate comment, because edits notify nobody. */
export async function notifyPeople(
  context: EffectContext,
  effect: Extract<Effect, { type: 'notify' }>,
): Promise<void> {
  const { deps, github, state, target } = context;
  const escalation = state.escalations.find(({ id }) => id === effect.escalation);
  if (escalation && effect.again) return writeReminder(context, escalation, effect.reminder);
  // A reminder that GitHub refused until the next one was due says nothing that the next one does not say.
  if (escalation?.status !== 'pending' || effect.reminder < escalation.reminders) return;
  const op = `${state.run}.${escalation.id}.n${effect.reminder}`;
  const where = await commentContext(deps, state, target, op, true);
  if (effect.reminder > 0) {
    // Question and status name the next reminder, which is a later one now, also while GitHub does not take this one. A question
    // that was not written yet is still being tried.
    const asked = await deps.store.comments.find(`${state.run}.${escalation.id}`);
    const outdated: Effect[] = [{ type: 'update_status' }];
    if (asked?.comment_id !== undefined) outdated.push({ type: 'ask', escalation: escalation.id });
    await write(deps, state.run, outdated, [`reminded:${op}`]);
    await writeReminder(context, escalation, effect.reminder);
  }
  await tellChat(context, op, () => renderQuestionLine(context, escalation, where));
  if (effect.reminder > 0)
    await minimise(deps, github, `${state.run}.${escalation.id}.n${effect.reminder - 1}`);
}

/**
 * The chat is told once, although the whole effect is performed again: until the reminder before can be folded away, or because
 * somebody changed the receipt.
 */
async function tellChat(
  context: EffectContext,
  op: string,
  render: () => string | Promise<string>,
): Promise<void> {
  const { runs } = context.deps.store;
  const told = `told-chat:${op}`;
  if (await runs.wasSeen(told)) return;
  await postWebhook(context, await render());
  await runs.remember(context.state.run, told);
}

async function renderQuestionLine(
  { deps, state, target }: EffectContext,
  { headline }: Escalation,
  where: CommentContext,
): Promise<string> {
  return renderChatLine(target, await redactFor(deps, state.run, cleanText(headline)), where);
}

async function writeReminder(
  { deps, github, state, target }: EffectContext,
  escalation: Escalation,
  reminders: number,
): Promise<void> {
  const op = `${state.run}.${escalation.id}.n${reminders}`;
  const where = await commentContext(deps, state, target, op, true);
  const body = renderReminder(state, { ...escalation, reminders }, where);
  await upsertComment(deps, github, { run: state.run, op, body, issue: target.issue });
}

/** P-10: the chat was asked, so it also learns that the run ended because nobody answered. */
export async function notifyExpired(context: EffectContext, where: CommentContext): Promise<void> {
  const { state, target } = context;
  const { finished, run } = state;
  if (!finished?.expired) return;
  await tellChat(context, `${run}.expired`, () =>
    renderChatLine(target, finished.reason, where, 'cancelled'),
  );
}

/** Posts one line and a link, without the question's text, because readers of the chat may have no access to the repository. */
async function postWebhook({ deps, state, target, op }: EffectContext, text: string): Promise<void> {
  const url = deps.settings.notifyUrl;
  if (!url || target.notify?.webhook === 'off') return;
  // A failing chat must not delay the run. It is only logged, because the comment on GitHub exists.
  try {
    const answer = await deps.fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text, id: op }),
    });
    if (!answer.ok)
      deps.log.warn({ run: state.run, status: answer.status }, 'the notification webhook refused');
  } catch (error) {
    deps.log.warn(
      { run: state.run, error: (error as Error).name },
      'the notification webhook does not answer',
    );
  }
}
