import {
  attemptWorked,
  BLOCKER_CATEGORIES,
  type BlockedReport,
} from '../../../core/contracts/agent/blocked-report.ts';
import type { ReportProblem } from '../../../core/contracts/agent/player-report.ts';
import type { CommentContext } from '../../../core/contracts/comment-context.ts';
import type { Escalation } from '../../../core/contracts/escalation.ts';
import type { RunState } from '../../../core/contracts/run-state.ts';
import type { Fold } from '../../text/fit-comment.ts';
import { code, inlineText, quoted } from '../../text/harmless.ts';
import { blocks, link, type Table } from '../../text/markdown.ts';
import { placeOf, renderPlace } from '../../text/places.ts';
import { clockSeconds, count, lineChange, list } from '../../text/words.ts';
import { testsOf, turnLabel } from './turn-history.ts';

/** Headings of the blocked-report specification, because people search for them (B-5). */
export const REPORT_TITLE = 'Task Blocked - Structured Report';
export const REPORT_HEADS = {
  issues: 'Blocking Issues',
  attempts: 'Attempts Made',
  alternatives: 'Suggested Alternatives',
  action: 'Human Action Required',
} as const;
const ISSUES_SHOWN = 8;

export function renderHumanAction(report: BlockedReport): string {
  return blocks(
    `#### ${REPORT_TITLE}`,
    `**${REPORT_HEADS.action}** (from the agent's report)`,
    quoted(report.human_action_required, 600),
  );
}

export function renderBlockingIssues(report: BlockedReport, where: CommentContext): string | undefined {
  const { blocking_issues: issues } = report;
  if (issues.length === 0) return undefined;
  const items = issues.slice(0, ISSUES_SHOWN).map((issue, i) => {
    const place = issue.location ? ` · ${renderPlace(issue.location, where)}` : '';
    const head = `${i + 1}. **${inlineText(issue.issue, 140)}** · ${BLOCKER_CATEGORIES[issue.category]}${place}`;
    const details = inlineText(issue.details, 400);
    return details ? `${head}\n   ${details}` : head;
  });
  const more = issues.length - ISSUES_SHOWN;
  return blocks(
    `**${REPORT_HEADS.issues}** (from the agent's report)`,
    items.join('\n'),
    more > 0 && `${count(more, 'issue')} more in the report as JSON.`,
  );
}

/** For reports whose alternatives are not offered as boxes. */
export function renderAlternatives(report: BlockedReport): string | undefined {
  const { suggested_alternatives: all } = report;
  if (all.length === 0) return undefined;
  const items = all.slice(0, 10).map((text, i) => `${i + 1}. ${inlineText(text, 200)}`);
  return blocks(`**${REPORT_HEADS.alternatives}** (from the agent's report)`, items.join('\n'));
}

function attemptsTable(report: BlockedReport): Table {
  const rows = report.attempts_made.map((attempt) => [
    String(attempt.turn),
    attemptWorked(attempt) ? '✓' : '✗',
    inlineText(attempt.action, 200),
    attemptWorked(attempt) ? '' : inlineText(attempt.result, 80),
    attempt.why_failed ? inlineText(attempt.why_failed, 200) : '',
  ]);
  return {
    head: ['Turn', '', 'Attempt', 'Result', 'Why it failed'],
    align: 'lclll',
    rows,
  };
}

export function attemptsFold(report: BlockedReport): Fold | undefined {
  const all = report.attempts_made;
  if (all.length === 0) return undefined;
  const worked = all.filter(attemptWorked).length;
  return {
    summary: `<b>${REPORT_HEADS.attempts}</b>: ${count(all.length, 'attempt')}, ${worked === 0 ? 'none' : worked} succeeded`,
    content: [attemptsTable(report)],
  };
}

/** The whole report in one fold, for comments where it is only background. */
export function reportFold(report: BlockedReport, where: CommentContext): Fold {
  const { blocking_issues, attempts_made } = report;
  return {
    summary: `The agent's blocked report: ${count(blocking_issues.length, 'issue')}, ${count(attempts_made.length, 'attempt')}`,
    content: [
      renderHumanAction(report),
      renderBlockingIssues(report, where) ?? '',
      ...(attempts_made.length > 0 ? [`**${REPORT_HEADS.attempts}**`, attemptsTable(report)] : []),
      renderAlternatives(report) ?? '',
      where.links?.report_json ? link('Report as JSON', where.links.report_json) : '',
    ],
  };
}

/** B-7: says that there is no usable report, and why. */
export function renderMissingReport(escalation: Escalation): string[] {
  const missing = escalation.report_missing;
  if (!missing) return [];
  const atLimit = escalation.triggers.some(({ run_limit }) => run_limit === 'turns');
  const fields = missing.problems.length;
  const sentence = {
    none: 'The agent did not report why it is stuck.',
    invalid: `The agent's report is invalid: ${fields === 1 ? '1 field has' : `${fields} fields have`} a wrong value.`,
    died: `The agent's process ended (${inlineText(missing.exit ?? 'no exit code', 60)}) before it wrote a report.`,
  }[missing.kind];
  const until = missing.kind === 'died' ? `, up to ${clockSeconds(escalation.created_at)} UTC` : '';
  return [
    ...(atLimit ? ['Max turns exceeded. Human intervention required.'] : []),
    `**${sentence}** What follows is only what Autobuild measured${until}.`,
  ];
}

export function missingReportFolds(state: RunState, escalation: Escalation, where: CommentContext): Fold[] {
  const missing = escalation.report_missing;
  if (!missing) return [];
  const folds: Fold[] = [];
  if (missing.problems.length > 0 || missing.raw)
    folds.push({
      summary: `The ${missing.problems.length === 1 ? 'invalid field' : `${missing.problems.length} invalid fields`}, and the report as received`,
      content: [
        ...(missing.problems.length > 0 ? [problemTable(missing.problems)] : []),
        ...(missing.raw ? [{ raw: missing.raw, info: 'json' }] : []),
      ],
    });
  if (state.turns.length > 0)
    folds.push({
      summary: `What the ${count(state.turns.length, 'turn')} changed, as measured`,
      content: [measuredTurns(state)],
    });
  const errors = errorKinds(state, where);
  if (errors.rows.length > 0)
    folds.push({
      summary: `Most frequent errors (${errors.rows.length})`,
      content: [errors],
    });
  return folds;
}

export function problemTable(problems: readonly ReportProblem[]): Table {
  return {
    head: ['Field', 'Value', 'Allowed'],
    rows: problems.map(({ field, value, allowed }) => [
      code(field, 100),
      code(value, 200),
      inlineText(allowed, 300),
    ]),
  };
}

function measuredTurns(state: RunState): Table {
  let before: string[] = [];
  const rows = state.turns.map((record) => {
    const fresh = record.changes.paths.filter((path) => !before.includes(path));
    before = record.changes.paths;
    const lines = lineChange(record.turn_added, record.turn_removed);
    const files =
      fresh.length > 0
        ? list(
            fresh.map((path) => code(path, 100)),
            1,
          )
        : lines
          ? 'files changed before'
          : 'none';
    return [turnLabel(record), files, lines, testsOf(record)];
  });
  return { head: ['Turn', 'New files changed', 'Lines', 'Tests'], rows };
}

/** Errors of all verifications by signature, the most frequent first. */
export function errorKinds(state: RunState, where: CommentContext): Table {
  const kinds = new Map<string, { times: number; message: string; place: string; turns: number[] }>();
  for (const { turn, verification } of state.turns) {
    for (const error of (verification?.checks ?? []).flatMap((check) => check.errors)) {
      const kind = kinds.get(error.signature) ?? { times: 0, message: error.message, place: '', turns: [] };
      kind.times += 1;
      kind.place = placeOf(error, where) || kind.place;
      if (kind.turns.at(-1) !== turn) kind.turns.push(turn);
      kinds.set(error.signature, kind);
    }
  }
  const rows = [...kinds.values()]
    .sort((a, b) => b.times - a.times)
    .map((kind) => [
      String(kind.times),
      code(kind.message, 200),
      kind.place,
      kind.turns.slice(-12).join(', '),
    ]);
  return { head: ['Times', 'Error', 'Last seen at', 'Turns'], align: 'rlll', rows };
}
