import type { CommentContext } from '../../core/contracts/comment-context.ts';
import type { Escalation } from '../../core/contracts/escalation.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import { inlineText } from '../text/harmless.ts';
import { blocks, link, marker, small } from '../text/markdown.ts';
import { dateTime } from '../text/words.ts';
import { headlineOf, isWorkMissing, renderAsking, whatComes } from './sections/question-parts.ts';
import { whoCanAnswer } from './sections/who-can-answer.ts';

/** A new comment, because an edit notifies nobody (E-12). */
export function renderReminder(state: RunState, escalation: Escalation, where: CommentContext): string {
  return blocks(
    `${marker('reminder', { run: state.run, esc: escalation.id.slice(1), op: where.op })}\n### ⏸ Still waiting for you: ${inlineText(headlineOf(state, escalation), 120)}`,
    `**${link('Answer here', where.links?.question)}.** ${isWorkMissing(escalation) ? 'Nothing is running.' : 'The work is saved; nothing is running.'}`,
    renderAsking(where, whoCanAnswer(escalation, where, ['pause'])),
    small([
      `Reminder ${escalation.reminders}`,
      `asked ${dateTime(escalation.created_at)}`,
      ...whatComes(state, escalation, where),
      '`/pause` stops the reminders',
    ]),
  );
}
