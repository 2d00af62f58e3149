import type { CommentContext } from '../../core/contracts/comment-context.ts';
import { CI_BOXES, type FailedCheck } from '../../core/contracts/revision.ts';
import type { KnownCi } from '../../core/contracts/run-state.ts';
import { type Fold, fitComment } from '../text/fit-comment.ts';
import { code, fenced, htmlCode, inlineText } from '../text/harmless.ts';
import { link, marker } from '../text/markdown.ts';
import { restOf } from '../text/places.ts';
import { count, dateAtTime, dateTime, list } from '../text/words.ts';
import { howLong } from './sections/question-parts.ts';

interface CiFacts {
  run: string;
  report: KnownCi;
  /** The number of the round that would begin. */
  round: number;
  /** A later head has a report of its own. */
  isNewest: boolean;
  setting: 'ask' | 'start' | 'off';
}

/** Failing checks with an excerpt of their log. The others are named. */
const SHOWN = 5;
const EXCERPT_LINES = 6;
const CONTINUE_UPDATE = '/continue update';

/** V-7: what CI says on one head. The boxes are there while the answer counts. */
export function renderCi(facts: CiFacts, where: CommentContext): string {
  const { report, run } = facts;
  const shown = report.failed.slice(0, SHOWN);
  const more = report.failed.slice(SHOWN).map(({ name }) => code(name, 120));
  return fitComment(
    [
      `${marker('ci', { run, op: where.op })}\n### ${headline(facts)}`,
      ...shown.flatMap((check) => [describe(check, report), excerptOf(check)]),
      more.length > 0 && `Also failing: ${list(more, 20)}.`,
      ...asides(report),
      isOpen(facts) && renderBoxes(facts),
      ...shown.flatMap(logFold),
      smallPrint(facts, where),
    ],
    restOf(where),
  );
}

function isOpen({ report, isNewest }: CiFacts): boolean {
  return isNewest && !report.answer && report.failed.length > 0;
}

function headline(facts: CiFacts): string {
  const { report, isNewest } = facts;
  const { failed, total, flaky, waiting, conflict, answer } = report;
  const head = code(report.head.slice(0, 7), 7);
  if (failed.length > 0) {
    const fails = `CI fails on ${head}, ${failed.length} of ${count(total, 'check')}`;
    if (answer?.answer === 'ignore') return `${fails}: ignored by ${inlineText(answer.by, 60)}`;
    if (answer) return `${fails}: a round fixes it, asked by ${inlineText(answer.by, 60)}`;
    return isNewest ? `⏸ Waiting for you: ${fails}` : `${fails}: the branch has moved on`;
  }
  if (waiting.length > 0) return `CI waits for approval on ${head}`;
  if (conflict) return `CI did not run on ${head}: the pull request conflicts with ${code(report.base, 120)}`;
  return flaky.length > 0 ? `CI passes on ${head}, after a second try` : `CI passes on ${head}`;
}

function describe({ name, step, failed_at, base }: FailedCheck, report: KnownCi): string {
  const shown = `**${code(name, 120)}**`;
  const main = code(report.base, 120);
  if (base.result === 'fails') {
    const since = base.since
      ? `, since ${code(base.since.sha.slice(0, 7), 7)} (${dateTime(base.since.at)})`
      : '';
    return `${shown} fails on ${main} as well${since}: not caused by this pull request.`;
  }
  const where = step ? `, step *${inlineText(step, 120)}*,` : '';
  const when = failed_at ? ` on ${dateAtTime(failed_at)}` : '';
  const compared =
    base.result === 'passes'
      ? `It passes on ${main}, so this pull request broke it.`
      : `It has no result on ${main} to compare with.`;
  return `${shown}${where} failed${when}. ${compared}`;
}

/** The lines around the first error, which most people need and nothing else. */
function excerptOf({ log, error }: FailedCheck): string | undefined {
  if (!log) return undefined;
  const lines = log.split('\n').filter((line) => line.trim() !== '');
  const wanted = error?.split(' (')[0]?.slice(0, 60) ?? '';
  const at = wanted === '' ? -1 : lines.findIndex((line) => line.includes(wanted));
  const from = at < 0 ? lines.length - EXCERPT_LINES : at - 1;
  return fenced(lines.slice(Math.max(0, from), Math.max(0, from) + EXCERPT_LINES).join('\n'), 1_500);
}

function logFold({ name, log }: FailedCheck): Fold[] {
  const lines = log?.split('\n').length ?? 0;
  if (!log || lines <= EXCERPT_LINES) return [];
  return [{ summary: `Last ${lines} lines of the log: ${htmlCode(name, 120)}`, content: [{ raw: log }] }];
}

function asides({ flaky, waiting, conflict, base }: KnownCi): (string | undefined)[] {
  const names = flaky.map((name) => code(name, 120));
  const approvals = waiting.map(({ name, url }) => (url ? link(code(name, 120), url) : code(name, 120)));
  return [
    names.length > 0
      ? `${list(names, 20)} failed first and passed when run again on the same commit.`
      : undefined,
    approvals.length > 0 ? `A maintainer has to approve ${list(approvals, 20)} before it runs.` : undefined,
    conflict
      ? `GitHub runs no workflows of a pull request that conflicts. Bring ${code(base, 120)} into it: ${code(CONTINUE_UPDATE, 40)}`
      : undefined,
  ];
}

function renderBoxes({ report, round }: CiFacts): string {
  const box = (id: keyof typeof CI_BOXES, text: string) =>
    `- [ ] ${marker('option', { id: `c${report.number}.${id}` })} ${text} ${code(CI_BOXES[id], 40)}`;
  const log = report.failed.some((check) => check.log);
  return [
    box('fix', `**Fix it**: starts round ${round}${log ? ' with this log' : ''}.`),
    box('ignore', "**Ignore**: don't ask again for this commit."),
  ].join('\n');
}

/** The setting is named where it decided something: whether people are asked. */
function smallPrint(facts: CiFacts, where: CommentContext): string | undefined {
  const { report, setting } = facts;
  const jobs = report.failed.slice(0, SHOWN).flatMap(({ url }) => url ?? []);
  const parts = [
    ...jobs.map((url, index) => link(jobs.length === 1 ? 'job' : `job ${index + 1}`, url)),
    isOpen(facts) || report.conflict ? howLong(where) : undefined,
    report.failed.length > 0 ? `setting: ${code(`revisions.on_ci_failure: ${setting}`, 60)}` : undefined,
  ].filter((part) => part !== undefined);
  return parts.length > 0 ? `<sub>${parts.join(' · ')}</sub>` : undefined;
}
