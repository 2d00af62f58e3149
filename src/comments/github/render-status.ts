import type { CommentContext } from '../../core/contracts/comment-context.ts';
import { isAboutJobs } from '../../core/contracts/escalation.ts';
import { keyWords } from '../../core/contracts/key-custody.ts';
import {
  filesOfRun,
  firstBaseline,
  isUnderWay,
  pendingEscalation,
  type RunState,
  waitsOverClosedPull,
} from '../../core/contracts/run-state.ts';
import { pauseExpiry } from '../../core/decide/expiry.ts';
import { withLimit } from '../text/figures.ts';
import { type Fold, fitComment } from '../text/fit-comment.ts';
import { code, inlineText } from '../text/harmless.ts';
import { isolationWords } from '../text/isolation.ts';
import { link, marker, renderTable, small, type Table } from '../text/markdown.ts';
import { restOf } from '../text/places.ts';
import { presentFigures } from '../text/present-figures.ts';
import { totalsOf } from '../text/totals.ts';
import { clock, count, dateAtTime, dateTime, minutes } from '../text/words.ts';
import { checksTable, renderTestBar } from './sections/checks.ts';
import { isWorkMissing, whatComes } from './sections/question-parts.ts';
import { closedBy, LABEL_AGAIN, renderUnpublished, stateOf } from './sections/state-line.ts';
import { testsOf, turnLabel } from './sections/turn-history.ts';

const TURNS_SHOWN = 4;
const REASONS_SHOWN = 8;
const TURN_TABLE = { head: ['', "Turn (agent's title)", 'Tests', 'Took'], align: 'cllr' };

/** The status comment, which is edited in place. */
export function renderStatus(state: RunState, where: CommentContext): string {
  const over = !isUnderWay(state);
  const checks = checksTable(state);
  return fitComment(
    [
      `${marker('status', { run: state.run, op: where.op })}\n### ${stateOf(state, where)}`,
      renderNext(state, where),
      isSilent(state, where) && renderSilence(state, where),
      renderTestBar(state),
      over && checks && renderTable(checks),
      renderTable(over ? totalsTable(state, where) : figuresTable(state, where)),
      ...renderTurns(state, over),
      renderHint(state, where),
      renderHidden(state),
      renderDropped(where),
      over ? undefined : where.capabilities.remark,
      renderLinks(state, where),
      renderFootnote(state, where),
    ],
    restOf(where),
  );
}

function renderNext(state: RunState, where: CommentContext): string | undefined {
  const { pull_request, question } = where.links ?? {};
  const closed = waitsOverClosedPull(state);
  if (state.status === 'waiting_for_input' && state.pending) {
    const newPull = closed
      ? ` Also, ${closedBy(state)}: your answer continues with a new pull request, \`/cancel\` ends the run.`
      : '';
    return `**${link('Answer here', question)}**: what is missing, what was tried, and your options.${newPull}`;
  }
  if (state.status === 'waiting_for_input') {
    const expiry = pauseExpiry(state);
    // The headline of a paused run says how to resume it, and until when.
    if (!closed) return expiry ? 'After that, the run expires.' : undefined;
    const until = expiry ? ` Otherwise the run expires on ${dateAtTime(expiry)}.` : '';
    return `Resume with \`/continue\` (opens a new pull request), or end the run with \`/cancel\`.${until}`;
  }
  if (state.finished?.expired) return LABEL_AGAIN;
  if (state.status === 'reviewing' && where.unpublished) return renderUnpublished(where);
  if (state.status !== 'reviewing' || !pull_request) return undefined;
  const fate = state.finished?.partial
    ? 'The issue stays open, because not everything is done.'
    : `Merging it ${where.issue ? 'closes this issue' : 'ends the run as approved'}; closing it unmerged ends the run as rejected.`;
  return `**Next:** review #${pull_request.number}. ${fate}`;
}

function isSilent(state: RunState, { silent_since }: CommentContext): boolean {
  const isAsked = state.status === 'waiting_for_input';
  return isUnderWay(state) && silent_since !== undefined && (state.job_live || !isAsked);
}

/** the job is not replaced, because only Actions knows whether it still runs. */
function renderSilence({ status, pending }: RunState, { links, silent_since = '' }: CommentContext): string {
  const log = links?.log ? ` [Its log](${links.log}) shows whether it is still running.` : '';
  const next =
    status !== 'waiting_for_input'
      ? 'a new one takes over'
      : pending
        ? 'a new one continues with your answer'
        : '`/continue` starts a new one';
  return `**No sign of life from the job** since ${dateAtTime(silent_since)}.${log} If it has ended, ${next}.`;
}

function figuresTable(state: RunState, { limits }: CommentContext): Table {
  const { turn, max_turns, active_ms, number } = presentFigures(state, limits);
  return {
    head: [...(number ? ['Round'] : []), 'Turn', 'Time', 'Files', 'Cost'],
    rows: [
      [
        ...(number ? [String(number)] : []),
        withLimit(turn, max_turns),
        `${withLimit(minutes(active_ms), limits.minutes)} min`,
        withLimit(filesOfRun(state), limits.files),
        `${totalsOf(state, limits).cost}${limits.cost ? '' : ', no limit set'}`,
      ],
    ],
  };
}

function totalsTable(state: RunState, { limits }: CommentContext): Table {
  const totals = totalsOf(state, limits);
  return {
    head: ['Turns', 'Working', 'Waiting', 'Jobs', 'Files', 'Tokens', 'Cost'],
    rows: [
      [
        totals.turns,
        totals.working,
        totals.waiting,
        String(state.jobs),
        totals.files,
        totals.tokens,
        `**${totals.cost}**`,
      ],
    ],
  };
}

function describeEnded(turns: number): string {
  if (turns === 0) return 'No turn ended';
  return turns === 1 ? '1 turn' : `All ${turns} turns`;
}

function renderTurns(state: RunState, over: boolean): (string | Fold)[] {
  const rows = turnRows(state);
  if (rows.length === 0) return [];
  if (over) {
    const asked = state.escalations.length;
    const questions = asked > 0 ? `, and ${count(asked, 'question')} asked` : '';
    const ended = describeEnded(state.turns.length);
    return [{ summary: `${ended}${questions}`, content: [{ ...TURN_TABLE, rows }] }];
  }
  const early = rows.slice(0, -TURNS_SHOWN);
  const shown = renderTable({ ...TURN_TABLE, rows: rows.slice(-TURNS_SHOWN) });
  if (early.length === 0) return [shown];
  return [shown, { summary: earlierRows(state, early.length), content: [{ ...TURN_TABLE, rows: early }] }];
}

/** The baseline is the first row, and no turn. */
function earlierRows(state: RunState, rows: number): string {
  const baseline = firstBaseline(state);
  const turns = baseline ? rows - 1 : rows;
  const earlier = `earlier turns (${turns})`;
  if (!baseline) return `E${earlier.slice(1)}`;
  return turns > 0 ? `Baseline and ${earlier}` : 'Baseline';
}

function turnRows(state: RunState): string[][] {
  const rows: string[][] = [];
  const verification = firstBaseline(state);
  if (verification) rows.push(['✓', 'Baseline: the checks before any change', testsOf({ verification }), '']);
  for (const record of state.turns) {
    const title = record.title ? inlineText(record.title, 120) : 'no title';
    const mark = record.verification || record.kind === 'debug' ? '✓' : '✗';
    rows.push([mark, `${turnLabel(record)} · ${title}`, testsOf(record), `${minutes(record.turn_ms)} min`]);
  }
  if (state.fresh && !state.fresh.ok)
    rows.push(['✗', 'Fails on a clean checkout', testsOf({ verification: state.fresh }), '']);
  const open = pendingEscalation(state);
  if (open && !isAboutJobs(open))
    rows.push(['⏸', `${open.context.turn} · Stopped to ask, ${clock(open.created_at)} UTC`, '', '']);
  else if (state.turn_open) {
    const rests = state.status === 'waiting_for_input';
    rows.push([rests ? '⏸' : '▶', `${state.turn} · ${rests ? 'Paused' : 'Running'}`, '', '']);
  }
  return rows;
}

const NO_JOB = 'No job is running: **waiting uses no runner minutes.**';

function renderHint(state: RunState, where: CommentContext): string | undefined {
  if (state.status === 'building' || state.status === 'pending') return renderStepIn(where);
  // Nobody knows what a silent job does or has saved.
  if (isSilent(state, where)) return undefined;
  const asked = pendingEscalation(state);
  if (state.status === 'waiting_for_input' && asked && isWorkMissing(asked))
    return 'Nothing is running while the question is open.';
  const isAskedByAgent = asked !== undefined && !isAboutJobs(asked);
  // The work of a turn that was cut off with its job may be lost.
  if (state.status === 'waiting_for_input' && asked && !isAskedByAgent && !state.job_live) return NO_JOB;
  if (state.status === 'waiting_for_input' && !state.job_live && state.jobs === 0) return NO_JOB;
  if (state.status === 'waiting_for_input' && !state.job_live)
    return 'The work is saved and the job has ended: **waiting uses no runner minutes.**';
  if (state.status === 'waiting_for_input')
    return isAskedByAgent
      ? 'The work is saved; nothing is running while the question is open.'
      : 'The job is saving the work, then it ends.';
  if (['cancelled', 'terminated_by_human', 'failed'].includes(state.status))
    return 'The branch is kept; any values you provided have been deleted.';
  return undefined;
}

/** A job that no hint reaches reads it when it starts. */
function renderStepIn({ capabilities }: CommentContext): string {
  const { live, answer_minutes } = capabilities;
  if (answer_minutes !== undefined)
    return `**To step in:** comment \`/guide <text>\` ${live ? 'to steer' : 'to steer the next job'}. \`/pause\` pauses and \`/cancel\` stops within about ${count(answer_minutes, 'minute')}.`;
  return '**To step in:** comment `/guide <text>` to steer, `/pause` to pause, `/cancel` to stop.';
}

/** Readers of the issue do not see what is named here, so the person who set the label is told. */
function renderHidden({ task }: RunState): string | undefined {
  const { parts = 0, characters = 0, tags = [] } = task.hidden ?? {};
  const removed = [
    parts > 0 && count(parts, 'hidden part'),
    characters > 0 && count(characters, 'invisible character'),
  ].filter((part) => part !== false);
  const lines = [
    removed.length > 0 &&
      `**${removed.join(' and ')} ${parts + characters === 1 ? 'was' : 'were'} removed** from the task: comments, attributes and the like that GitHub does not show. The agent does not get them.`,
    tags.length > 0 &&
      `GitHub does not show ${tags.map((tag) => code(tag, 60)).join(', ')}; the agent gets ${tags.length === 1 ? 'it' : 'them'} as text.`,
  ].filter((line) => line !== false);
  return lines.length > 0 ? lines.join(' ') : undefined;
}

/** N-3: somebody has to see that a job said what no job says. */
function renderDropped({ dropped }: CommentContext): string | undefined {
  if (!dropped) return undefined;
  const reasons = Object.entries(dropped.reasons).slice(0, REASONS_SHOWN);
  const total = Object.values(dropped.reasons).reduce((sum, times) => sum + times, 0);
  const named = reasons.map(([reason, times]) => `${inlineText(reason, 60)} (${times})`);
  return `**Job ${dropped.job} left ${count(total, 'entry', 'entries')} that ${total === 1 ? 'does' : 'do'} not count:** ${named.join(', ')}. Everything else that it left counts.`;
}

function renderLinks(state: RunState, where: CommentContext): string | undefined {
  const { pull_request, changes, log, run_page } = where.links ?? {};
  const ready = ['reviewing', 'approved', 'rejected'].includes(state.status) && !where.unpublished;
  // V-1: it was ready before its first round.
  const hasRounds = state.revision !== undefined || (state.revisions ?? []).length > 0;
  const draft = ready || hasRounds ? 'Pull request' : 'Draft pull request';
  const shown = [
    pull_request && `${draft} #${pull_request.number}`,
    changes && link(!isUnderWay(state) ? 'changes' : 'changes so far', changes),
    log && link('log', log),
    run_page && link('run page', run_page),
  ].filter((part) => typeof part === 'string');
  return shown.length > 0 ? shown.join(' · ') : undefined;
}

function renderFootnote(state: RunState, { limits, capabilities }: CommentContext): string {
  const open = pendingEscalation(state);
  return small([
    `Requested by ${inlineText(state.requested_by, 60)}, ${dateTime(state.requested_at)}`,
    `agent ${code(state.agent, 40)}`,
    state.isolation !== undefined && isolationWords(state.isolation),
    state.keys !== undefined && keyWords(state.keys),
    limits.scope !== null && !state.task.scope && 'no scope set: any file may be changed',
    ...(open ? whatComes(state, open, { capabilities }) : []),
    state.finished && `finished ${dateTime(state.finished.at)}`,
    !state.finished && `last updated ${clock(state.updated_at)} UTC`,
  ]);
}
