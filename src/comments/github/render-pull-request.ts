import type { CommentContext } from '../../core/contracts/comment-context.ts';
import type { RunStatus } from '../../core/contracts/run-event.ts';
import { lastVerification, type RunState } from '../../core/contracts/run-state.ts';
import { type LostVerification, score } from '../../core/contracts/verification.ts';
import { UNVERIFIED } from '../../core/decide/verify-afresh.ts';
import { bothResults } from '../text/both-results.ts';
import { type Fold, fitComment } from '../text/fit-comment.ts';
import { code, inlineText, quoted } from '../text/harmless.ts';
import { link, marker, renderTable, small } from '../text/markdown.ts';
import { restOf } from '../text/places.ts';
import { withoutSkipCi } from '../text/skip-ci.ts';
import { NOT_REPORTED, totalsOf } from '../text/totals.ts';
import { clock, count, dateAtTime, list } from '../text/words.ts';
import { ANSWER_HEAD, allAnswerRows } from './sections/answers.ts';
import { reportFold } from './sections/blocked-report.ts';
import { type BranchStanding, renderCi, renderLeftOut, renderUnseen } from './sections/branch-standing.ts';
import { checksTable } from './sections/checks.ts';
import {
  asPublished,
  renderConflict,
  renderOpenRemarks,
  renderRunning,
  roundsFold,
} from './sections/rounds.ts';
import { explainBaseRun } from './sections/with-base.ts';

const LAST_LINE = '<sub>Built by Autobuild ';
/** GitHub's limit is 65,536. */
const MAX_CHARS = 65_000;
const STOPPED: ReadonlySet<RunStatus> = new Set(['failed', 'cancelled', 'terminated_by_human']);

/** The description of the pull request. It is rendered from the record at every change. */
export function renderPullRequest(
  whole: RunState,
  where: CommentContext,
  branch: BranchStanding = {},
): string {
  const state = asPublished(whole);
  const complete = state.finished !== undefined && !state.finished.partial && isDelivered(state);
  const checks = checksTable(state);
  const report = complete ? undefined : state.blocked_report;
  const text = fitComment(
    [
      marker('pull-request', { run: state.run, op: where.op }),
      !complete && renderWarning(state),
      renderIssueLine(complete, where),
      renderRunning(whole, where),
      branch.unseen && renderUnseen(branch.unseen),
      renderBoth(state),
      ...renderKnownIssues(state, complete),
      renderWords(state),
      checks && renderTable(checks),
      state.changes.paths.length > 0 && renderFiles(state),
      branch.left_out && renderLeftOut(branch.left_out),
      renderConflict(whole, branch.conflict),
      renderOpenRemarks(whole, branch.open_remarks ?? []),
      branch.ci && renderCi(branch.ci),
      report && reportFold(report, where),
      answersFold(whole),
      roundsFold(whole, branch.commitOf),
      receiptFold(whole, where),
      small([
        `Built by Autobuild with ${code(state.agent, 40)} for ${inlineText(state.requested_by, 60)}`,
        where.links?.status && link('status', where.links.status),
        where.links?.report_json && link('report as JSON', where.links.report_json),
        where.links?.run_page && link('run page', where.links.run_page),
      ]),
    ],
    restOf(where),
  );
  return withoutSkipCi(text);
}

/** Keeps text that people wrote below our last line. */
export function keepAddedText(present: string, rendered: string): string {
  const text = present.replaceAll('\r\n', '\n');
  const last = text.indexOf(`\n${LAST_LINE}`);
  const end = last === -1 ? -1 : text.indexOf('\n', last + 1);
  const added = end === -1 ? '' : text.slice(end).trimEnd();
  return `${rendered}${added}`.slice(0, MAX_CHARS);
}

function isDelivered(state: RunState): boolean {
  return state.status === 'reviewing' || state.status === 'approved';
}

/** G-7. Names the guard of the question that was answered with accept. */
export function partialCause(state: RunState): string {
  const accepted = state.escalations.findLast((escalation) =>
    escalation.responses.some((response) => response.command.name === 'accept'),
  );
  const guards = accepted?.triggers.map((trigger) => trigger.guard) ?? [];
  return guards.length > 0
    ? list(guards)
    : inlineText(
        (state.finished?.reason ?? 'an early end').replace(/^.* (?:due to|but for|except for) /, ''),
        100,
      );
}

function renderWarning(state: RunState): string {
  const last = lastVerification(state);
  const figures = last ? score(last) : undefined;
  const tests = figures ? ` ${figures.passed} of ${figures.total} ${figures.unit} pass.` : '';
  const { finished } = state;
  if (finished && STOPPED.has(state.status))
    return `> [!WARNING]\n> **Not finished: ${inlineText(finished.reason, 200)}.**${tests}`;
  if (!finished?.partial)
    return `> [!WARNING]\n> **Not finished yet.**${tests} This text is updated while the run continues.`;
  if (finished.reason === UNVERIFIED) {
    const here = tests && `${tests.slice(0, -1)} where the agent worked.`;
    return `> [!WARNING]\n> **Not verified: the job that runs the checks on a clean checkout ended three times without a result.**${renderLost(finished.lost_verification)}${here} Run the checks yourself before you merge.`;
  }
  const by = finished.by
    ? ` Accepted as is by ${inlineText(finished.by, 60)} on ${dateAtTime(finished.at)}.`
    : '';
  return `> [!WARNING]\n> **Task completed with partial results due to ${partialCause(state)}.**${tests}${by}`;
}

/** Somebody has to look there before the next run. */
function renderLost(lost: LostVerification | undefined): string {
  if (!lost) return '';
  const log = lost.log_url ? ` (${link('log', lost.log_url)})` : '';
  return ` The last time: ${inlineText(lost.reason, 200)}${log}.`;
}

/** Passing checks that fail with the base's versions of their files are shown before everything else. */
function renderBoth(state: RunState): string | undefined {
  const both = bothResults(state);
  if (!both || !state.with_base) return undefined;
  const text = `**${both}.** ${explainBaseRun(state.with_base)}`;
  return state.with_base.verification.ok ? text : `> [!WARNING]\n> ${text}`;
}

/** A partial result has no closing keyword, so the issue stays open. */
function renderIssueLine(complete: boolean, where: CommentContext): string | undefined {
  if (!where.issue) return undefined;
  return complete ? `Closes #${where.issue}` : `Part of #${where.issue}, which stays open.`;
}

/** G-9: skipped checks and tests, and those that fail besides. */
function renderKnownIssues(state: RunState, complete: boolean): string[] {
  const skipped = state.known_issues.map((issue) => {
    const what = [
      ...issue.tests.map((name) => code(name, 120)),
      ...issue.checks.map((name) => code(name, 120)),
    ];
    const named = what.length > 0 ? `: ${list(what, 10)}` : '';
    return `- ✗ ${inlineText(issue.title, 200)}${named} (skipped by ${inlineText(issue.by, 60)}, ${clock(issue.at)} UTC)`;
  });
  const named = new Set(state.known_issues.flatMap((issue) => issue.tests));
  const failing = complete
    ? []
    : (lastVerification(state)?.tests?.failing ?? []).filter((name) => !named.has(name));
  const rest = failing.slice(0, 20).map((name) => `- ✗ ${code(name, 160)}: fails`);
  if (failing.length > 20) rest.push(`- ✗ ${count(failing.length - 20, 'test')} more`);
  const items = [...skipped.slice(0, 40), ...rest];
  return items.length > 0 ? ['**Known issues**', items.join('\n')] : [];
}

function renderWords(state: RunState): string | undefined {
  const summary = state.turns.findLast((turn) => turn.title)?.title;
  return summary ? `**The agent's summary of its last turn:**\n\n${quoted(summary, 600)}` : undefined;
}

function renderFiles(state: RunState): string {
  const { paths, added, removed } = state.changes;
  const shown = list(
    paths.map((path) => code(path, 120)),
    5,
  );
  const round = state.revisions?.findLast(({ outcome }) => outcome === 'done' || outcome === 'partial');
  const where = round ? ` in round ${round.number}` : '';
  return `**${count(paths.length, 'file')}${where}**, +${added} −${removed}: ${shown}.`;
}

function answersFold(state: RunState): Fold | undefined {
  const rows = allAnswerRows(state);
  if (rows.length === 0) return undefined;
  const asked = [clock(state.requested_at), inlineText(state.requested_by, 60), 'asked for this run'];
  return {
    summary: `Answered by people: ${count(state.escalations.length, 'question')}`,
    content: [{ head: ANSWER_HEAD, rows: [asked, ...rows] }],
  };
}

function receiptFold(state: RunState, { limits }: CommentContext): Fold {
  const totals = totalsOf(state, limits);
  const cost = totals.cost === NOT_REPORTED ? `cost ${totals.cost}` : totals.cost;
  return {
    summary: `Receipt: ${totals.turns} ${totals.turns === '1' ? 'turn' : 'turns'}, ${totals.working} working, ${cost}`,
    content: [
      {
        head: ['Turns', 'Working', 'Waiting', 'Jobs', 'Files', 'Tokens', 'Cost'],
        rows: [
          [
            totals.turns,
            totals.working,
            totals.waiting,
            String(state.jobs),
            totals.files,
            totals.tokens,
            totals.cost,
          ],
        ],
      },
    ],
  };
}
