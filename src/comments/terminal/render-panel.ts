import { type Escalation, missingInputs } from '../../core/contracts/escalation.ts';
import { asksForReview, needsDecision } from '../../core/contracts/guard.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import { progressParts } from '../github/sections/context-folds.ts';
import { givenInputs } from '../github/sections/inputs.ts';
import { headlineOf, isHelpLeading, whyOf } from '../github/sections/question-parts.ts';
import { fewerTests, figuresOf, sparklineOf } from '../text/figures.ts';
import { clockIn, count } from '../text/words.ts';
import { missingReportSections, reportSections } from './blocked-report.ts';
import { evidenceSections, placeText } from './evidence-sections.ts';
import { barred, packed, paragraph, renderRule, section, twoColumns } from './sections.ts';
import { paint, type TerminalLook, widthOf } from './style.ts';
import { cellsOf, padCells, terminalLine, terminalWords } from './terminal-text.ts';

export interface PanelLook extends TerminalLook {
  /** Path of the saved blocked report. */
  saved?: string;
  /** True if nobody is at the terminal, so that nobody presses a key. */
  unattended?: boolean;
}

/** The question in the terminal, with the same record and commands as the comment. */
export function renderPanel(state: RunState, escalation: Escalation, look: PanelLook): string {
  const { blocked_report: report } = escalation;
  const review = escalation.triggers.some(({ evidence }) => asksForReview(evidence));
  return [
    ...renderTitle(headlineOf(state, escalation), look),
    ...missingReportSections(escalation, look),
    '',
    ...progressLines(state, escalation, look),
    ...(review ? [] : why(escalation, look)),
    ...section(
      'The agent asks',
      escalation.what_i_need ? barred(escalation.what_i_need, 600, look) : [],
      look,
    ),
    ...section(
      'What it tried',
      escalation.what_i_tried ? barred(escalation.what_i_tried, 1_500, look) : [],
      look,
    ),
    ...section(
      'What the debug turn found',
      escalation.findings ? barred(escalation.findings, 600, look) : [],
      look,
    ),
    ...evidenceSections(state, escalation, look),
    ...(review
      ? ['', '   The run stays paused until you decide.', '   After resolving, reply /continue.']
      : []),
    ...(report ? reportSections(report, look) : []),
    ...lastErrors(escalation, look),
    ...needed(state, escalation, look),
    ...section('Answer', answerLines(escalation, look), look),
    '',
    ...closing(state, { ...look, saved: report && look.saved }),
    renderRule('', look),
  ].join('\n');
}

/** A headline that is too long for the rule is shown whole below it. */
function renderTitle(headline: string, look: TerminalLook): string[] {
  const title = `⏸ Waiting for you: ${terminalLine(headline, 200)}`;
  if (cellsOf(title) <= widthOf(look) - 7) return [renderRule(title, look)];
  return [
    renderRule('⏸ Waiting for you', look),
    '',
    ...paragraph(terminalLine(headline, 200), look).map((line) => `   ${line}`),
  ];
}

function progressLines(state: RunState, escalation: Escalation, look: TerminalLook): string[] {
  const { context } = escalation;
  const spark = sparklineOf(context);
  const figures = figuresOf(context, escalation.triggers).map(({ name, value, tripped }) => {
    const shown = name === 'Cost' ? value : `${name.toLowerCase()} ${value}`;
    const mark = tripped ? `[${shown}]` : shown;
    return (name === 'Tests' || name === 'Checks') && spark.length > 1 ? `${mark} ${spark}` : mark;
  });
  const fewer = fewerTests(context.pass_rates);
  const failing = context.failing.slice(0, 5).map((name) => terminalLine(name, widthOf(look) - 10));
  const progress = progressParts(context.progress).join('; ');
  return [
    `   ${terminalLine(`${state.task.id}: ${state.task.title}`, widthOf(look) - 3)}`,
    ...packed(figures, look),
    ...(fewer ? [`   ${fewer}`] : []),
    ...section(
      'Still failing',
      failing.map((name) => `  ✗ ${name}`),
      look,
    ),
    ...section('Progress, as the agent reports it', progress ? barred(progress, 400, look) : [], look),
  ];
}

function why(escalation: Escalation, look: TerminalLook): string[] {
  if (escalation.headers.length < 2 && isHelpLeading(escalation)) return [];
  const reason = terminalLine(whyOf(escalation), 600);
  const head = escalation.headers.map((text) => terminalLine(text, 40)).join(' · ') || 'Why';
  return reason ? section(head, paragraph(reason, look), look) : ['', `   ${paint(head, 'bold', look)}`];
}

function lastErrors({ context, triggers }: Escalation, look: TerminalLook): string[] {
  if (triggers.some((trigger) => trigger.evidence.occurrences?.length)) return [];
  const lines = context.errors
    .slice(0, 3)
    .flatMap(({ turn, error }) => [
      `  turn ${turn}  ${terminalLine(placeText(error), widthOf(look) - 16)}`,
      ...barred(error.message, 200, look, 2),
    ]);
  const output = context.last_output;
  const last = output
    ? [
        `  ${terminalLine(`${clockIn(output.at, look.zone)}  ${output.command} ${output.result}`, widthOf(look) - 5)}`,
      ]
    : [];
  return [
    ...section('Last output', last, look),
    ...section(`Last ${count(context.errors.slice(0, 3).length, 'error')}`, lines, look),
  ];
}

function needed(state: RunState, escalation: Escalation, look: TerminalLook): string[] {
  const given = givenInputs(state, escalation);
  const room = Math.floor((widthOf(look) - 20) / 2);
  const lines = escalation.inputs.map((input, i) => {
    const label = padCells(terminalLine(input.label, room), room);
    const key = padCells(terminalLine(`${input.key}${input.secret ? ', not echoed' : ''}`, room), room);
    return `  ${padCells(String(i + 1), 2)} ${label} ${key} ${given.has(input.key) ? '✓ given' : 'missing'}`;
  });
  return section('Needed', lines, look);
}

/** All answers: the record's options, and the commands that take a text. */
function answerLines(escalation: Escalation, look: TerminalLook): string[] {
  const rows: [string, string][] = [];
  if (missingInputs(escalation, {}).length > 0) rows.push(['/provide', 'type the values now']);
  // There are no Actions secrets at a terminal, so /continue is refused while values are missing.
  const options = escalation.options.filter(
    (option) =>
      option.command !== '/terminate' && (option.command !== '/continue' || escalation.inputs.length === 0),
  );
  for (const option of options) {
    rows.push([
      terminalLine(option.command, widthOf(look) - 6),
      terminalWords(terminalLine(option.description || option.label, 200).replace(/\.$/, '')),
    ]);
  }
  if (!rows.some(([command]) => command === '/cancel')) rows.push(['/cancel', 'stop here; the work is kept']);
  const { grants } = escalation.hint ?? {};
  rows.push([
    '/guide <text>',
    `a hint in your own words${grants ? ` (allows ${terminalLine(grants, 80)})` : ''}`,
  ]);
  const isReview = escalation.triggers.some(({ evidence }) => asksForReview(evidence));
  if (isReview && !rows.some(([command]) => command.startsWith('/continue')))
    rows.unshift(['/continue', 'resume, once you have resolved it']);
  if (escalation.blocked_report || escalation.triggers.some(({ evidence }) => needsDecision(evidence)))
    rows.push(['/override <text>', 'do this instead']);
  return twoColumns(rows, look);
}

function closing(state: RunState, { saved, unattended, ...look }: PanelLook): string[] {
  const what = state.job_live ? 'The agent' : 'The run';
  const how = state.job_live && !unattended ? 'Ctrl-C pauses the run; resume with:' : 'Resume with:';
  const saying = `${what} is paused, its work is saved. ${how}`;
  return [
    ...(saved ? [`Saved as ${terminalLine(saved, widthOf(look) - 12)}`] : []),
    ...paragraph(saying, look),
    `autobuild resume ${state.run}`,
  ].map((line) => `   ${line}`);
}
