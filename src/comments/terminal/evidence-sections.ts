import type { Escalation } from '../../core/contracts/escalation.ts';
import { asksForReview, type Evidence, type Trigger } from '../../core/contracts/guard.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import type { ErrorSighting } from '../../core/contracts/verification.ts';
import { testsOf, turnLabel } from '../github/sections/turn-history.ts';
import { counterOf, observedOf } from '../text/figures.ts';
import { renderSparkline } from '../text/sparkline.ts';
import { clockIn, count, lineChange, list } from '../text/words.ts';
import { barred, paragraph, paragraphWith, section, twoColumns } from './sections.ts';
import { type TerminalLook, widthOf } from './style.ts';
import { padCells, terminalLine } from './terminal-text.ts';

const PLACE_CELLS = 400;

/** The same evidence as in the comment. It is bounded more tightly, because a terminal has no folds. */
export function evidenceSections(state: RunState, escalation: Escalation, look: TerminalLook): string[] {
  const limits =
    escalation.triggers.length > 1
      ? escalation.triggers.map((t): [string, string] => [
          counterOf(t),
          t.threshold === null ? 'yes' : observedOf(t),
        ])
      : [];
  return [
    ...section('Limits reached', twoColumns(limits, look), look),
    ...escalation.triggers.flatMap((trigger) => triggerSections(state, trigger, look)),
  ];
}

function triggerSections(state: RunState, trigger: Trigger, look: TerminalLook): string[] {
  const { evidence } = trigger;
  return [
    ...section('Outside the repository', blockerLines(evidence, look), look),
    ...proposedSections(evidence, look),
    ...section(counterOf(trigger), occurrenceLines(evidence, look), look),
    ...section('Same result', loopLines(state, evidence, look), look),
    ...section('Pass rates', rateLines(evidence, look), look),
    ...section(
      'Attempts',
      (evidence.attempts ?? [])
        .slice(-5)
        .map(
          (a) =>
            `  ${a.ok ? '✓' : '✗'} ${clockIn(a.at, look.zone, true)} ${terminalLine(`${a.title}  ${a.result}`, widthOf(look) - 21)}`,
        ),
      look,
    ),
    ...section(
      "The agent's message as received",
      evidence.help_raw ? barred(evidence.help_raw, 800, look) : [],
      look,
    ),
    ...section(
      "The agent's reason",
      asksForReview(evidence)
        ? barred(`USER REVIEW REQUIRED: ${evidence.review_reason || 'the agent gave no reason'}`, 700, look)
        : [],
      look,
    ),
  ];
}

function blockerLines({ blocker, first_seen, tried_again }: Evidence, look: TerminalLook): string[] {
  if (!blocker) return [];
  const rows: [string, string][] = [['kind', blocker.kind]];
  const put = (name: string, value: string | undefined) => {
    if (value) rows.push([name, terminalLine(value, 200)]);
  };
  if (blocker.kind === 'api_unavailable') {
    put('endpoint', blocker.endpoint);
    put('answer', blocker.status ? `HTTP ${blocker.status}` : 'none');
  } else if (blocker.kind === 'missing_dependency') {
    put(blocker.problem ? 'program' : 'missing', [blocker.name, blocker.version].filter(Boolean).join(' '));
    put('problem', blocker.problem);
    put('needed by', blocker.required_by);
  } else {
    put('resource', blocker.resource);
    put('operation', blocker.operation);
  }
  put('first seen', first_seen && clockIn(first_seen, look.zone, true));
  put('tried again', tried_again && `${clockIn(tried_again, look.zone, true)}: the same`);
  return twoColumns(rows, look);
}

function proposedSections({ proposed = [], files = [], scope = [] }: Evidence, look: TerminalLook): string[] {
  const writes = proposed.slice(0, 5).flatMap((write) => {
    const made = write.finished ? 'changed, needs approval' : 'reverted and saved';
    const state = write.held ? 'not changed yet' : made;
    const saved = write.held || write.finished ? undefined : look.saved_edits?.[write.path];
    return [
      `  ${terminalLine(write.path, widthOf(look) - 32)}  (${state})`,
      // Not cut to the width, because it is there to be pasted.
      ...(saved ? [`    saved in ${terminalLine(saved, PLACE_CELLS)}`] : []),
    ];
  });
  const shown = files
    .slice(0, 30)
    .map((path, i) => `  ${String(i + 1).padStart(2)}  ${terminalLine(path, widthOf(look) - 12)}`);
  if (files.length > 30) shown.push(`  ${files.length - 30} more`);
  return [
    ...section('Proposed', writes, look),
    ...section(
      "The task's scope",
      scope.length > 0
        ? paragraph(
            list(
              scope.map((path) => terminalLine(path, 60)),
              10,
            ),
            look,
            2,
          )
        : [],
      look,
    ),
    ...section(`The ${count(files.length, 'file')} so far`, shown, look),
  ];
}

function occurrenceLines({ occurrences = [] }: Evidence, look: TerminalLook): string[] {
  return occurrences
    .slice(-5)
    .flatMap(({ turn, at, error, remediation }) => [
      `  turn ${turn}, ${clockIn(at, look.zone, true)}  ${terminalLine(placeText(error), widthOf(look) - 32)}`,
      ...barred(error.message, 200, look, 2),
      ...remediation.slice(-2).map((step) => `    then: ${terminalLine(step, widthOf(look) - 15)}`),
    ]);
}

export function placeText({ file, line }: ErrorSighting): string {
  return file ? `${file}${line ? `:${line}` : ''}` : '';
}

function loopLines(state: RunState, { signature, turns = [] }: Evidence, look: TerminalLook): string[] {
  if (!signature || turns.length === 0) return [];
  const records = state.turns
    .filter((record) => turns.includes(record.turn) && record.kind === 'normal')
    .slice(-5);
  return [
    `  turns ${list(turns.slice(-10).map(String))}: ${terminalLine(signature, widthOf(look) - 30)}`,
    ...records.map((record) => {
      const title = padCells(terminalLine(record.title ?? '', widthOf(look) - 36), widthOf(look) - 36);
      return `  ${padCells(turnLabel(record), 3)} ${title}  ${padCells(testsOf(record), 6)} ${lineChange(record.turn_added, record.turn_removed)}`;
    }),
  ];
}

function rateLines({ pass_rates: rates = [] }: Evidence, look: TerminalLook): string[] {
  if (rates.length === 0) return [];
  const shown = rates.slice(-8).map((rate) => `${rate.passed}/${rate.total}`);
  return paragraphWith(shown.join(', '), renderSparkline(rates), look, 2);
}
