import type { CommentContext } from '../../core/contracts/comment-context.ts';
import type { Escalation } from '../../core/contracts/escalation.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import { spanInWords } from '../../core/decide/expiry.ts';
import { fitComment } from '../text/fit-comment.ts';
import { inlineText, quoted } from '../text/harmless.ts';
import { link, renderTable, small } from '../text/markdown.ts';
import { restOf } from '../text/places.ts';
import { clock, count, dateAtTime, minutes } from '../text/words.ts';
import { renderMarker } from './render-escalation.ts';
import { ANSWER_HEAD, answerRows } from './sections/answers.ts';
import { givenInputs } from './sections/inputs.ts';
import { renderLabel } from './sections/options.ts';
import { guardNames, headlineOf, renderFigures, whyOf } from './sections/question-parts.ts';

const LONG_MS = 120 * 60_000;

/** The question after its answer, without boxes: who answered, when, how, and the agent's reaction. */
export function renderAnswered(state: RunState, escalation: Escalation, where: CommentContext): string {
  const rows = [
    [clock(escalation.created_at), 'Autobuild', `asked in turn ${escalation.context.turn}`],
    ...answerRows(escalation),
  ];
  const { acknowledged, resolved_at } = escalation;
  if (acknowledged)
    rows.push([clock(acknowledged.at), 'the agent', `acknowledged: "${inlineText(acknowledged.text, 300)}"`]);
  if (resolved_at && hasExpired(state, escalation))
    rows.push([
      clock(resolved_at),
      'Autobuild',
      `closed the question and the run on ${dateAtTime(resolved_at)}`,
    ]);
  if (resolved_at && wasMerged(state, escalation))
    rows.push([clock(resolved_at), resolverOf(escalation), 'merged the pull request, which ended the run']);
  const open = resolved_at && Date.parse(resolved_at) - Date.parse(escalation.created_at);
  return fitComment(
    [
      `${renderMarker(state, escalation, where)}\n### ${answeredHeadline(state, escalation)}`,
      renderTable({ head: ANSWER_HEAD, rows }),
      {
        summary: 'The original question',
        content: [
          `**${inlineText(escalation.headline, 120)}**`,
          escalation.what_i_need ? quoted(escalation.what_i_need, 600) : inlineText(whyOf(escalation), 600),
          renderFigures(escalation),
          `Offered: ${escalation.options.map((option) => renderLabel(option.label, where, 60)).join(' · ')}.`,
        ],
      },
      small([
        typeof open === 'number' && `Open for ${open < LONG_MS ? `${minutes(open)} min` : spanInWords(open)}`,
        guardNames(escalation),
        escalation.status.replaceAll('_', ' '),
        where.links?.run_page && link('run page', where.links.run_page),
      ]),
    ],
    restOf(where),
  );
}

function hasExpired(state: RunState, escalation: Escalation): boolean {
  return state.finished?.expired === true && escalation.status === 'resolved_with_termination';
}

/** The pull request was merged while nobody had answered. An answer that stops the run never approves it. */
function wasMerged(state: RunState, escalation: Escalation): boolean {
  return state.status === 'approved' && escalation.status === 'resolved_with_termination';
}

function resolverOf({ resolution, responses }: Escalation): string {
  return inlineText(resolution?.by ?? responses.at(-1)?.by ?? 'someone', 60);
}

export function answeredHeadline(state: RunState, escalation: Escalation): string {
  const by = resolverOf(escalation);
  const again = state.status === 'building' ? ', running again' : '';
  switch (escalation.status) {
    case 'pending':
      return `⏸ Waiting for you: ${inlineText(headlineOf(state, escalation), 120)}`;
    case 'resolved_with_override':
      return `✓ Answered: ${by} chose another approach${again}`;
    case 'resolved_with_approval':
      return `✓ Answered: approved by ${by}${again}`;
    case 'resolved_with_termination':
      if (wasMerged(state, escalation)) return `✓ Closed: the pull request was merged by ${by}`;
      return hasExpired(state, escalation)
        ? `✗ Closed: ${inlineText(state.finished?.reason ?? '', 100)}`
        : `✗ Answered: stopped by ${by}`;
    case 'agent_terminated':
      return "✗ Closed: the agent's process ended; the question was asked again";
    case 'resolved': {
      const asked = escalation.inputs.length;
      const given = givenInputs(state, escalation).size;
      const what = asked > 0 && given > 0 ? `${given} of ${count(asked, 'value')} given` : 'decided';
      return `✓ Answered: ${what} by ${by}${again}`;
    }
  }
}
