import type { CommentContext } from '../../core/contracts/comment-context.ts';
import type { Escalation } from '../../core/contracts/escalation.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import { type Fold, fitComment } from '../text/fit-comment.ts';
import { code, inlineText } from '../text/harmless.ts';
import { link, marker, renderTable, small } from '../text/markdown.ts';
import { restOf } from '../text/places.ts';
import { clock, count } from '../text/words.ts';
import { renderMarker } from './render-escalation.ts';
import { ANSWER_HEAD, allAnswerRows } from './sections/answers.ts';
import { errorKinds } from './sections/blocked-report.ts';
import { renderInputs } from './sections/inputs.ts';
import { renderOptions } from './sections/options.ts';
import { guardNames, headlineOf, renderFigures } from './sections/question-parts.ts';
import { turnTable } from './sections/turn-history.ts';

const TURNS_OPEN = 12;

/** G-10: the whole history, then the question with its boxes. The first tick in either comment counts. */
export function renderReview(
  state: RunState,
  escalation: Escalation | undefined,
  where: CommentContext,
): string {
  const turns = count(state.turns.length, 'turn');
  const first = escalation
    ? renderMarker(state, escalation, where)
    : marker('reply', { run: state.run, op: where.op });
  return fitComment(
    [
      `${first}\n### ${escalation ? `⏸ Review: ${turns}, then the same question again` : `▶ Review: ${turns} so far`}`,
      ...historyParts(state, where),
      ...(escalation ? questionAgain(state, escalation, where) : []),
      small([
        `As of ${clock(state.updated_at)} UTC`,
        escalation && guardNames(escalation),
        where.links?.run_page && link('run page', where.links.run_page),
      ]),
    ],
    restOf(where),
  );
}

function historyParts(state: RunState, where: CommentContext): (string | Fold)[] {
  const history = turnTable(state.turns);
  const parts: (string | Fold)[] = [];
  if (history.rows.length === 0) parts.push('No turn has ended yet.');
  else if (history.rows.length <= TURNS_OPEN) parts.push(renderTable(history));
  else {
    parts.push(renderTable({ ...history, rows: history.rows.slice(-TURNS_OPEN) }));
    const early = history.rows.slice(0, -TURNS_OPEN);
    parts.push({
      summary: `Earlier turns (${early.length})`,
      content: [{ ...history, rows: early }],
    });
  }
  const errors = errorKinds(state, where);
  if (errors.rows.length > 0)
    parts.push({
      summary: `Error history: most frequent errors (${errors.rows.length})`,
      content: [errors],
    });
  const loops = signatureRows(state);
  if (loops.length > 0)
    parts.push({
      summary: `Loop signatures: ${count(loops.length, 'different result')}`,
      content: [{ head: ['Times', 'Result', 'Turns'], align: 'rll', rows: loops }],
    });
  const answers = allAnswerRows(state);
  if (answers.length > 0)
    parts.push({
      summary: `Answers so far: ${answers.length}`,
      content: [{ head: ANSWER_HEAD, rows: answers }],
    });
  return parts;
}

function signatureRows(state: RunState): string[][] {
  const turns = new Map<string, number[]>();
  for (const { signature, turn } of state.turns)
    if (signature) turns.set(signature, [...(turns.get(signature) ?? []), turn]);
  return [...turns]
    .sort((a, b) => b[1].length - a[1].length)
    .map(([signature, at]) => {
      const times = at.length > 1 ? `**${at.length}**` : '1';
      return [times, code(signature, 120), at.slice(-12).join(', ')];
    });
}

function questionAgain(state: RunState, escalation: Escalation, where: CommentContext): string[] {
  const headline = inlineText(headlineOf(state, escalation), 120);
  return [
    renderFigures(escalation),
    ...renderInputs(state, escalation, where),
    `**${headline.charAt(0).toUpperCase()}${headline.slice(1)}${headline.endsWith('?') ? '' : '.'} Tick one, or reply with its command:**`,
    renderOptions(escalation, where),
  ];
}
