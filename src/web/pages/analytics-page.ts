import { count, dateTime, money } from '../../comments/text/words.ts';
import type { ListedRun } from '../../core/ports/run-log.ts';
import { describeAnswers } from './answer-figures.ts';
import { csrfField, type Viewer } from './document.ts';
import { type Html, html } from './html.ts';
import { figureList, table } from './parts.ts';

interface AnalyticsView {
  base: string;
  now: Date;
  viewer: Viewer;
  /** The runs of the period that the viewer may read. */
  runs: ListedRun[];
  days: number;
  /** Effects that were given up, of runs the viewer may repair. */
  buried: { id: string; run: string; error: string; at: string }[];
}

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;

/** P-10, E-17: how often people are asked, how fast they answer, and what it costs. */
export function renderAnalyticsPage(view: AnalyticsView): { title: string; body: Html } {
  const { runs, days, buried, base, viewer, now } = view;
  const questions = runs.flatMap(({ summary }) => summary.questions);
  const open = questions.filter(({ resolved_at }) => !resolved_at);
  return {
    title: 'Analytics',
    body: html`<div class="stack"><h1>Analytics <span class="small dim">last ${days} days, ${count(runs.length, 'run')}</span></h1>
${figureList([
  { value: String(open.length), of: open.length === 1 ? 'open question' : 'open questions' },
  ...describeAnswers(questions, now),
  { value: money(costOf(runs)), of: `cost of ${count(runs.length, 'run')}` },
])}
${bars(
  'Questions by guard',
  countBy(questions, ({ guard }) => guard),
  (n) => String(n),
)}
${bars('Cost by week', costByWeek(view), money)}
${repositories(runs)}
${
  buried.length > 0 &&
  html`<section class="card stack" aria-label="Given up"><h2>Given up</h2><p class="small dim">Writes to GitHub that failed too often. Fix the cause, then retry.</p>${table(
    'Given up',
    ['When', 'Run', 'Error', 'Retry'],
    buried.map(({ id, run, error, at }) => [
      dateTime(at),
      html`<a href="${base}/runs/${run}">${run}</a>`,
      error.slice(0, 300),
      html`<form method="post" action="${base}/analytics/retry">${csrfField(viewer)}<input type="hidden" name="id" value="${id}"><button>Retry</button></form>`,
    ]),
  )}</section>`
}</div>`,
  };
}

function countBy<Item>(items: readonly Item[], nameOf: (item: Item) => string): [string, number][] {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(nameOf(item), (counts.get(nameOf(item)) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

const costOf = (runs: readonly ListedRun[]) =>
  runs.reduce((sum, { summary }) => sum + (summary.cost_usd ?? 0), 0);

/** Weeks start on Monday, UTC. A run counts in the week in which it was requested. */
function costByWeek({ runs }: AnalyticsView): [string, number][] {
  const weeks = new Map<number, number>();
  for (const { summary } of runs) {
    const at = Date.parse(summary.requested_at);
    // 1 January 1970 was a Thursday.
    const week = Math.floor((at + 3 * 24 * HOUR_MS) / WEEK_MS);
    weeks.set(week, (weeks.get(week) ?? 0) + (summary.cost_usd ?? 0));
  }
  return [...weeks]
    .sort(([a], [b]) => a - b)
    .map(([week, cost]) => [new Date(week * WEEK_MS - 3 * 24 * HOUR_MS).toISOString().slice(0, 10), cost]);
}

function bars(title: string, rows: readonly [string, number][], show: (n: number) => string): Html | false {
  if (rows.length === 0) return false;
  const most = Math.max(...rows.map(([, n]) => n), Number.MIN_VALUE);
  return html`<section class="card stack" aria-label="${title}"><h2>${title}</h2><ul class="bars">${rows.map(
    ([name, n]) =>
      html`<li><code>${name}</code><meter min="0" max="${most}" value="${n}" aria-label="${name}">${show(n)}</meter><span class="number">${show(n)}</span></li>`,
  )}</ul></section>`;
}

function repositories(runs: readonly ListedRun[]): Html | false {
  if (runs.length === 0) return false;
  const groups = new Map<string, ListedRun[]>();
  for (const run of runs) {
    const name = `${run.target.owner}/${run.target.repo}`;
    groups.set(name, [...(groups.get(name) ?? []), run]);
  }
  const rows = [...groups].map(([name, own]) => {
    const asked = own.flatMap(({ summary }) => summary.questions);
    const done = own.filter(({ summary }) => ['reviewing', 'approved'].includes(summary.status)).length;
    return [name, String(own.length), String(done), String(asked.length), money(costOf(own))];
  });
  return html`<section class="card stack" aria-label="Repositories"><h2>Repositories</h2>${table('Repositories', ['Repository', '#Runs', '#Done', '#Questions', '#Cost'], rows)}</section>`;
}
