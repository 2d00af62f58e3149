import { count, dateTime, minutes, money } from '../../comments/text/words.ts';
import type { ListedRun } from '../../core/ports/run-log.ts';
import { describeAnswers } from './answer-figures.ts';
import { type Html, html } from './html.ts';
import { age, figureList, icon, pullLink, runName, testsOf } from './parts.ts';

interface RunsView {
  base: string;
  webUrl: string;
  now: Date;
  viewer: string;
  /** Runs that wait for a person, longest first. */
  waiting: ListedRun[];
  working: ListedRun[];
  /** At rest or ended, newest first. */
  finished: ListedRun[];
  /** `seq` of the last finished run, if there are older ones. */
  older?: number;
  search: { text: string; repository: string };
  /** `owner/repo` of every run that is shown or filtered out. */
  repositories: string[];
}

/** Does anything wait for me, since when, and what does it need. */
export function renderRunsPage(view: RunsView): { title: string; body: Html } {
  const { waiting, working, finished, base } = view;
  const title =
    waiting.length === 0
      ? 'Nothing waits for you'
      : `${count(waiting.length, 'run')} ${waiting.length === 1 ? 'waits' : 'wait'} for you`;
  const isEmpty = waiting.length + working.length + finished.length === 0;
  return {
    title,
    body: html`<div class="stack" data-part="runs"><h1>${title}</h1>
${figures(view)}
${renderSearch(view)}
${isEmpty && html`<p class="card">${view.search.text || view.search.repository ? 'No run matches this search.' : html`No runs yet. Label an issue <code>autobuild</code> in a repository where the App is installed.`}</p>`}
${waiting.length > 0 && html`<div class="between"><h2>Waiting for an answer</h2><span class="small dim">longest first</span></div><ul class="runs">${waiting.slice(0, ACTIVE_SHOWN).map((run) => renderWaiting(run, view))}</ul>${renderMore(waiting)}`}
${working.length > 0 && html`<div class="between"><h2>Building</h2></div><ul class="runs">${working.slice(0, ACTIVE_SHOWN).map((run) => renderWorking(run, view))}</ul>${renderMore(working)}`}
${finished.length > 0 && html`<div class="between"><h2>Finished</h2></div><ul class="runs">${finished.map((run) => renderFinished(run, view))}</ul>`}
${view.older !== undefined && html`<p><a href="${base}/runs?${olderQuery(view)}">Older runs</a></p>`}</div>`,
  };
}

/** More would be too much to read, and too large a page. */
const ACTIVE_SHOWN = 30;

function renderMore({ length }: readonly ListedRun[]): Html | false {
  const more = length - ACTIVE_SHOWN;
  return (
    more > 0 && html`<p class="small dim">${count(more, 'more run')}: search, or choose a repository.</p>`
  );
}

function olderQuery({ older, search }: RunsView): string {
  const query = new URLSearchParams({ before: String(older) });
  if (search.text) query.set('q', search.text);
  if (search.repository) query.set('repository', search.repository);
  return query.toString();
}

function renderSearch({ base, search, repositories }: RunsView): Html {
  return html`<form class="row" method="get" action="${base}/runs" role="search">
<span class="together"><label class="small" for="q">Search</label><input class="text search" id="q" name="q" value="${search.text}" maxlength="100"></span>
<span class="together"><label class="small" for="repository">Repository</label><select id="repository" name="repository"><option value="">all</option>${repositories.map(
    (name) => html`<option${name === search.repository && html` selected`}>${name}</option>`,
  )}</select></span><button>Show</button></form>`;
}

/** At most four, each with the number it is a part of. */
function figures({ finished, waiting, working, now }: RunsView): Html | undefined {
  const runs = [...waiting, ...working, ...finished];
  const questions = runs.flatMap(({ summary }) => summary.questions);
  if (!questions.some(({ resolved_at }) => resolved_at)) return undefined;
  const cost = runs.reduce((sum, { summary }) => sum + (summary.cost_usd ?? 0), 0);
  return figureList([
    ...describeAnswers(questions, now),
    {
      value: money(cost),
      of: `cost of the ${count(runs.length, 'run')} below, as of ${dateTime(now.toISOString())}`,
    },
  ]);
}

function renderWaiting(run: ListedRun, view: RunsView): Html {
  const { summary } = run;
  const open = summary.questions.findLast(({ resolved_at }) => !resolved_at);
  const since = open?.asked_at ?? summary.updated_at;
  return html`<li><div><span class="wait">${icon('pause')}</span> ${runName(run, view.base)} ${summary.title}
<div class="small dim"><b class="wait">${open?.headline ?? 'Paused'}</b> · for ${age(view.now.getTime() - Date.parse(since))} · turn ${summary.turn}${testsOf(summary)}${costOf(run)}</div></div>
<a class="button main-button" href="${view.base}/runs/${run.run}" aria-label="Answer ${run.target.repo} #${run.target.issue}">Answer</a></li>`;
}

function renderWorking(run: ListedRun, { base }: RunsView): Html {
  const { summary } = run;
  return html`<li><div>${icon('play')} ${runName(run, base)} ${summary.title}
<div class="small dim">turn ${summary.turn}${testsOf(summary)} · ${minutes(summary.active_ms)} min${costOf(run)}</div></div>
<span class="small dim">changed ${dateTime(summary.updated_at)}</span></li>`;
}

const ENDS: Record<string, { glyph: 'tick' | 'cross'; tone: string; words: string }> = {
  reviewing: { glyph: 'tick', tone: 'good', words: 'ready for review' },
  approved: { glyph: 'tick', tone: 'good', words: 'merged' },
  rejected: { glyph: 'cross', tone: 'bad', words: 'closed without merging' },
  failed: { glyph: 'cross', tone: 'bad', words: 'failed' },
  cancelled: { glyph: 'cross', tone: 'bad', words: 'cancelled' },
  terminated_by_human: { glyph: 'cross', tone: 'bad', words: 'ended' },
};

function renderFinished(run: ListedRun, { base, webUrl }: RunsView): Html {
  const { summary } = run;
  const end = ENDS[summary.status] ?? { glyph: 'tick', tone: 'dim', words: summary.status };
  const by = summary.finished?.by ? ` by ${summary.finished.by}` : '';
  const words = summary.finished?.partial && end.tone === 'good' ? `partially done, ${end.words}` : end.words;
  return html`<li><div><span class="${end.tone}">${icon(end.glyph)}</span> ${runName(run, base)} ${summary.title}
<div class="small dim">${words}${by} ${dateTime(summary.finished?.at ?? summary.updated_at)} · ${count(summary.turn, 'turn')}${testsOf(summary)}${costOf(run)}</div></div>
${pullLink(run, webUrl)}</li>`;
}

function costOf({ summary }: ListedRun): string {
  return summary.cost_usd === null ? '' : ` · ${money(summary.cost_usd)}`;
}
