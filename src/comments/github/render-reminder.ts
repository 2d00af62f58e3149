import type { CommentContext } from '../../core/contracts/comment-context.ts';
import { type Escalation, isAboutJobs } from '../../core/contracts/escalation.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import { inlineText } from '../text/harmless.ts';
import { blocks, link, marker, small } from '../text/markdown.ts';
import { dateTime } from '../text/words.ts';
import { answeredHeadline } from './render-answered.ts';
import { headlineOf, isWorkMissing, renderAsking, whatComes } from './sections/question-parts.ts';
import { whoCanAnswer } from './sections/who-can-answer.ts';

/**
 * A new comment, because an edit notifies nobody (E-12). A reminder that somebody removed or reworded may come back when a later
 * one was written, or the question is answered.
 */
export function renderReminder(state: RunState, escalation: Escalation, where: CommentContext): string {
  const mark = marker('reminder', { run: state.run, esc: escalation.id.slice(1), op: where.op });
  if (escalation.status !== 'pending')
    return blocks(
      `${mark}\n### ${answeredHeadline(state, escalation)}`,
      small([`Reminder ${escalation.reminders}`, `asked ${dateTime(escalation.created_at)}`]),
    );
  const present = state.escalations.find(({ id }) => id === escalation.id);
  const isNewest = present === undefined || present.reminders === escalation.reminders;
  return blocks(
    `${mark}
### ⏸ Still waiting for you: ${inlineText(headlineOf(state, escalation), 120)}`,
    `**${link('Answer here', where.links?.question)}.**${renderRest(state, escalation, where)}`,
    renderAsking(where, whoCanAnswer(escalation, where, ['pause'])),
    small([
      `Reminder ${escalation.reminders}`,
      `asked ${dateTime(escalation.created_at)}`,
      ...(isNewest ? whatComes(state, escalation, where) : []),
      '`/pause` stops the reminders',
    ]),
  );
}

/** nobody knows what a silent job does or has saved. */
function renderRest(
  { job_live }: RunState,
  escalation: Escalation,
  { silent_since }: CommentContext,
): string {
  if (job_live && silent_since) return '';
  // The work of a turn that was cut off with its job may be lost.
  const isSaved = !isWorkMissing(escalation) && !isAboutJobs(escalation);
  return isSaved ? ' The work is saved; nothing is running.' : ' Nothing is running.';
}
