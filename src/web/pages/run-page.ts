import { headlineOf } from '../../comments/github/sections/question-parts.ts';
import { turnLabel } from '../../comments/github/sections/turn-history.ts';
import { cleanLine, cleanText } from '../../comments/text/clean-text.ts';
import { presentFigures } from '../../comments/text/present-figures.ts';
import { totalsOf } from '../../comments/text/totals.ts';
import { clockSeconds, count, dateTime, lineChange, minutes, money } from '../../comments/text/words.ts';
import type { LimitsInForce } from '../../core/contracts/guard.ts';
import type { RunEvent } from '../../core/contracts/run-event.ts';
import {
  filesOfRun,
  firstBaseline,
  lastVerification,
  pendingEscalation,
  type RunState,
  waitsOverClosedPull,
} from '../../core/contracts/run-state.ts';
import { score } from '../../core/contracts/verification.ts';
import { lastOutputOf } from '../../core/decide/last-output.ts';
import type { ListedRun } from '../../core/ports/run-log.ts';
import { describeEvent } from './describe-event.ts';
import { type Html, html } from './html.ts';
import { icon, table } from './parts.ts';
import { renderTimeline } from './timeline.ts';

interface RunView {
  base: string;
  webUrl: string;
  now: Date;
  listed: ListedRun;
  state: RunState;
  limits: LimitsInForce;
  /** The open question, if there is one. */
  panel?: Html;
  /** The newest events, newest first. */
  events: RunEvent[];
  hasOlderEvents: boolean;
  /** Every turn instead of the newest ones. */
  allTurns: boolean;
  jobs: { job: number; kind: string; url?: string; state: string }[];
}

const TURNS_SHOWN = 20;

/** The question, the ways to answer it, and how the run got here. */
export function renderRunPage(view: RunView): { title: string; body: Html } {
  const { state, listed, base, webUrl } = view;
  const { owner, repo, issue } = listed.target;
  const headline = headlineOfRun(view);
  return {
    title: `${headline} · ${repo} #${issue}`,
    body: html`<div class="stack"><p class="small"><a href="${base}/runs">Runs</a> / ${owner}/${repo} #${issue}</p>
<h1>${state.task.title}</h1>
<p data-part="headline" role="status">${
      // The panel says what is asked.
      view.panel
        ? html`<span class="tag wait">${icon('pause')} Waiting for an answer</span>`
        : html`<b>${headline}</b>`
    }</p>
<p class="small dim" data-part="links">Requested by ${state.requested_by}, ${dateTime(state.requested_at)} · <a href="${webUrl}/${owner}/${repo}/issues/${issue}">issue #${issue}</a>${
      listed.pull !== undefined &&
      html` · <a href="${webUrl}/${owner}/${repo}/pull/${listed.pull}">pull request #${listed.pull}</a>`
    } · agent ${state.agent}</p>
${view.panel ?? html`<div data-part="question"></div>`}
${renderTimelineCard(view)}
${renderLimits(view)}
${renderRounds(state)}
${renderTurns(view)}
${renderOutput(state)}
${renderEvents(view)}
${renderJobs(view)}
${renderReceipt(view)}</div>`,
  };
}

/** The state in one line. */
function headlineOfRun({ state, limits, listed }: RunView): string {
  const by = state.finished?.by ? ` by ${state.finished.by}` : '';
  const kept = state.revisions?.findLast(({ outcome }) => outcome === 'done' || outcome === 'partial');
  const done = `${state.finished?.partial ? 'Partially done' : 'Done'}${kept ? `, round ${kept.number}` : ''}`;
  const building = `Building${state.revision ? `, round ${state.revision.number}` : ''}`;
  const pending = pendingEscalation(state);
  switch (state.status) {
    case 'pending':
      return `${building}: a job is starting`;
    case 'building':
      if (state.turn === 0 || (state.revision && !state.baseline))
        return `${building}: running the checks before ${state.revision ? 'the round' : 'any change'}`;
      return `${building}: ${turnOf(presentFigures(state, limits))}`;
    case 'waiting_for_input':
      if (pending) return `Waiting for an answer: ${headlineOf(state, pending)}`;
      return waitsOverClosedPull(state)
        ? 'Paused: the pull request was closed'
        : 'Paused: resume with /continue';
    case 'reviewing':
      return `${done}: ${listed.pull === undefined ? 'ready for review' : `pull request #${listed.pull} is ready for review`}`;
    case 'approved':
      return `${done}: merged`;
    case 'rejected':
      return 'Closed without merging';
    case 'failed':
      return `Failed: ${cleanLine(state.finished?.reason ?? 'no reason recorded', 200)}`;
    case 'cancelled':
      return `Cancelled${by}`;
    case 'terminated_by_human':
      return `Ended${by}`;
  }
}

function turnOf({ turn, max_turns }: ReturnType<typeof presentFigures>): string {
  return `turn ${turn}${max_turns === null ? '' : ` of ${max_turns}`}`;
}

function renderTimelineCard({ listed, now }: RunView): Html {
  const drawn = renderTimeline(listed.summary, now);
  return html`<section class="card stack" data-part="timeline" aria-label="Timeline"><h2>Timeline <span class="small dim">UTC</span></h2>${
    drawn
      ? html`<div class="scroll" tabindex="0" role="region" aria-label="Timeline picture">${drawn}</div>`
      : html`<p class="dim">No job has started yet.</p>`
  }</section>`;
}

function renderLimits({ state, limits }: RunView): Html {
  const spent = state.usage.cost_usd;
  const dollars = limits.cost?.dollars;
  const { turn, max_turns, active_ms } = presentFigures(state, limits);
  const rows = [
    { name: 'Turns', value: turn, limit: max_turns, unit: '' },
    { name: 'Time', value: minutes(active_ms), limit: limits.minutes, unit: ' min' },
    { name: 'Files', value: filesOfRun(state), limit: limits.files, unit: '' },
  ];
  return html`<section class="card stack" data-part="limits" aria-label="Limits"><h2>Limits</h2><div class="limits">${rows.map(
    ({ name, value, limit, unit }) =>
      html`<div>${name} <span>${value}${limit !== null && `/${limit}`}${unit}</span>${
        limit !== null &&
        html`<meter min="0" max="${limit}" low="${limit * 0.8}" high="${limit}" optimum="0" value="${Math.min(value, limit)}" aria-label="${name}">${value} of ${limit}</meter>`
      }</div>`,
  )}<div>Cost <span>${totalsOf(state, limits).cost}</span>${
    dollars !== undefined &&
    spent !== null &&
    html`<meter min="0" max="${dollars}" low="${dollars * 0.8}" high="${dollars}" optimum="0" value="${Math.min(spent, dollars)}" aria-label="Cost">${money(spent)} of ${money(dollars)}</meter>`
  }</div></div></section>`;
}

/** V-8: who asked for each round, and what came of it. The build is round 1. */
function renderRounds({ revision, revisions = [], turns, usage }: RunState): Html {
  // A page that is open gets the rounds in this place.
  if (!revision && revisions.length === 0) return html`<div data-part="rounds"></div>`;
  const cost = (spent: number | null) => (spent === null ? '' : money(spent));
  const asked = (by: string, url: string | undefined) =>
    url ? html`<a href="${url}">${cleanLine(by, 100)}</a>` : cleanLine(by, 100);
  const over = revisions.map((round) => [
    String(round.number),
    asked(round.by, round.url),
    cleanLine(round.summary ?? round.reason ?? '', 200),
    settledWords(round.remarks),
    round.outcome,
    String(round.turns),
    cost(round.cost_usd),
  ]);
  const present = revision && [
    String(revision.number),
    asked(revision.by, revision.url),
    cleanLine(revision.instruction ?? '', 200),
    revision.remarks.length > 0 ? `${revision.remarks.length} open` : '',
    'at work',
    String(turns.length - revision.before.turns),
    cost(usage.cost_usd === null ? null : usage.cost_usd - (revision.before.cost_usd ?? 0)),
  ];
  const rows = present ? [...over, present] : over;
  const heads = ['Round', 'Asked by', 'What', 'Remarks', 'Result', '#Turns', '#Cost'];
  return html`<section class="card stack" data-part="rounds" aria-label="Rounds"><h2>Rounds</h2>${table('Rounds', heads, rows)}</section>`;
}

function settledWords(remarks: readonly { result: string }[]): string {
  const counts = Map.groupBy(remarks, ({ result }) => (result === 'applied' ? 'fixed' : result));
  return [...counts].map(([result, same]) => `${same.length} ${result}`).join(', ');
}

function renderTurns({ state, base, allTurns }: RunView): Html | false {
  const before = firstBaseline(state);
  if (state.turns.length === 0 && !before) return false;
  const shown = allTurns ? state.turns : state.turns.slice(-TURNS_SHOWN);
  const hidden = state.turns.length - shown.length;
  const baseline = before && score(before);
  const rows = [
    ...(baseline && hidden === 0
      ? [['', 'Checks before any change', '', `${baseline.passed}/${baseline.total}`, '', '']]
      : []),
    ...shown.map((turn) => {
      const passed = turn.verification && score(turn.verification);
      return [
        turnLabel(turn),
        cleanLine(turn.title ?? (turn.failed ? turn.exit : 'no title'), 200),
        lineChange(turn.turn_added, turn.turn_removed) || 'none',
        passed ? `${passed.passed}/${passed.total}` : '',
        `${minutes(turn.turn_ms)} min`,
        turn.turn_cost_usd === null ? '' : money(turn.turn_cost_usd),
      ];
    }),
  ];
  return html`<section class="card stack" data-part="turns" aria-label="Turns"><h2>Turns</h2>${table('Turns', ['Turn', "Agent's title", 'Lines', 'Tests', '#Took', '#Cost'], rows)}${
    hidden > 0 &&
    html`<p class="small"><a href="${base}/runs/${state.run}?turns=all">Show ${count(hidden, 'earlier turn')}</a></p>`
  }</section>`;
}

/** The newest output that is known. A question that was answered may show checks that pass by now. */
function renderOutput(state: RunState): Html | false {
  const words = state.turns.at(-1)?.last_words;
  const verified = lastVerification(state);
  const shown =
    pendingEscalation(state)?.context.last_output ??
    (verified ? lastOutputOf(verified.at, verified) : state.escalations.at(-1)?.context.last_output);
  const output = words ?? shown?.tail;
  if (!output) return false;
  const of = words ? "the agent's last words" : (shown?.command ?? '');
  return html`<section class="card stack" data-part="output" aria-label="Last output"><h2>Last output <span class="small dim">${of}</span></h2><pre tabindex="0" aria-label="Last output">${cleanText(output.slice(-8_000), 8_000)}</pre></section>`;
}

function renderEvents({ events, hasOlderEvents, base, state }: RunView): Html {
  const rows = events.flatMap((event) => {
    const told = isRestAgain(event, events) ? undefined : describeEvent(event);
    return told
      ? [
          [
            html`<span title="${dateTime(event.at, true)}">${clockSeconds(event.at)}</span>`,
            told.who,
            cleanLine(told.what, 400),
          ],
        ]
      : [];
  });
  return html`<section class="card stack" data-part="events" aria-label="Events"><h2>Who did what</h2>${table('Events', ['UTC', 'Who', 'What'], rows)}${
    hasOlderEvents &&
    html`<p class="small"><a href="${base}/runs/${state.run}?events=all">Show all events</a></p>`
  }</section>`;
}

/** V-1: after a round without a result the run is as it was, so its earlier end is no news. */
function isRestAgain(event: RunEvent, events: readonly RunEvent[]): boolean {
  if (event.type !== 'run_finished' || event.status !== 'reviewing') return false;
  return events.some(
    (other) =>
      other.type === 'revision_ended' &&
      other.at === event.at &&
      (other.outcome === 'cancelled' || other.outcome === 'failed' || other.outcome === 'unchanged'),
  );
}

function renderJobs({ jobs }: RunView): Html | false {
  if (jobs.length === 0) return false;
  const rows = jobs.map(({ job, kind, url, state }) => [
    String(job),
    kind === 'verify' ? 'checks on a clean checkout' : 'build',
    state,
    url ? html`<a href="${url}">log</a>` : '',
  ]);
  return html`<section class="card stack" data-part="jobs" aria-label="Jobs"><h2>Jobs</h2>${table('Jobs', ['Job', 'Kind', 'State', 'Log'], rows)}</section>`;
}

function renderReceipt({ state, limits }: RunView): Html {
  const totals = totalsOf(state, limits);
  return html`<section class="card stack" data-part="receipt" aria-label="Receipt"><h2>${state.finished ? 'Receipt' : 'So far'}</h2>${table(
    'Receipt',
    ['#Turns', '#Working', '#Waiting', '#Jobs', '#Files', '#Tokens', '#Cost'],
    [
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
  )}</section>`;
}
