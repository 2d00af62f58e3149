import {
  attemptWorked,
  BLOCKER_CATEGORIES,
  type BlockedReport,
} from '../../core/contracts/agent/blocked-report.ts';
import type { Escalation } from '../../core/contracts/escalation.ts';
import { REPORT_HEADS, REPORT_TITLE } from '../github/sections/blocked-report.ts';
import { barred, paragraph, section } from './sections.ts';
import { type TerminalLook, widthOf } from './style.ts';
import { cellsOf, padCells, terminalLine, terminalText } from './terminal-text.ts';

/** B-5 in the terminal, with the same headings. Missing parts leave no empty line. */
export function reportSections(report: BlockedReport, look: TerminalLook): string[] {
  const room = widthOf(look) - 9;
  const issues = report.blocking_issues.slice(0, 5).flatMap((issue, i) => {
    const category = BLOCKER_CATEGORIES[issue.category];
    const [first = '', ...more] = terminalText(issue.issue.replace(/\s+/g, ' '), room, 200);
    const beside = more.length === 0 && cellsOf(first) + category.length + 2 <= room;
    const lines = [
      `  ${i + 1}  ${beside ? `${padCells(first, room - category.length - 2)}  ${category}` : first}`,
    ];
    if (!beside) lines.push(...more.map((line) => `     ${line}`), `     (${category})`);
    if (issue.location) lines.push(`     ${terminalLine(issue.location, room)}`);
    if (issue.details.trim())
      lines.push(...terminalText(issue.details, room, 400).map((line) => `     ${line}`));
    return lines;
  });
  const attempts = report.attempts_made.slice(-10).flatMap((attempt) => {
    const lines = [
      `  turn ${padCells(String(attempt.turn), 3)} ${attemptWorked(attempt) ? '✓' : '✗'} ${terminalLine(attempt.action, room - 10)}`,
    ];
    if (attempt.why_failed)
      lines.push(...terminalText(attempt.why_failed, room - 12, 200).map((line) => `             ${line}`));
    return lines;
  });
  const alternatives = report.suggested_alternatives
    .slice(0, 5)
    .flatMap((text, i) =>
      terminalText(text, room, 200).map((line, j) => (j === 0 ? `  ${i + 1}  ${line}` : `     ${line}`)),
    );
  return [
    ...section(REPORT_TITLE, ["From the agent's report."], look),
    ...section(REPORT_HEADS.action, barred(report.human_action_required, 600, look), look),
    ...section(REPORT_HEADS.issues, [...issues, ...more(report.blocking_issues.length - 5)], look),
    ...section(
      REPORT_HEADS.attempts,
      [...more(report.attempts_made.length - 10, 'earlier'), ...attempts],
      look,
    ),
    ...section(
      REPORT_HEADS.alternatives,
      [...alternatives, ...more(report.suggested_alternatives.length - 5)],
      look,
    ),
  ];
}

/** B-8: the screen shows a part, the file has the whole report. */
function more(count: number, which = 'more'): string[] {
  return count > 0 ? [`  … ${count} ${which} in blocked_report.json`] : [];
}

/** B-7 in the terminal. */
export function missingReportSections(escalation: Escalation, look: TerminalLook): string[] {
  const missing = escalation.report_missing;
  if (!missing) return [];
  const atLimit = escalation.triggers.some(({ run_limit }) => run_limit === 'turns');
  const sentence = {
    none: 'The agent did not report why it is stuck.',
    invalid: "The agent's report is invalid:",
    died: `The agent's process ended (${terminalLine(missing.exit ?? 'no exit code', 60)}) before it wrote a report.`,
  }[missing.kind];
  const problems = missing.problems
    .slice(0, 10)
    .flatMap(({ field, value, allowed }) =>
      paragraph(
        `${terminalLine(field, 100)} is ${terminalLine(value, 100)}; allowed: ${terminalLine(allowed, 200)}`,
        look,
        2,
      ),
    );
  return [
    ...(atLimit ? ['', '   Max turns exceeded. Human intervention required.'] : []),
    ...[
      '',
      ...[...paragraph(sentence, look), ...problems, 'What follows is only what Autobuild measured.'].map(
        (line) => `   ${line}`,
      ),
    ],
    ...section('The report as received', missing.raw ? barred(missing.raw, 1_000, look) : [], look),
  ];
}
