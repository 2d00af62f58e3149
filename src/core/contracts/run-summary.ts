import { type Escalation, isAboutJobs } from './escalation.ts';
import type { RunEvent, RunStatus, TurnRecord } from './run-event.ts';
import { filesOfRun, lastVerification, type RunState } from './run-state.ts';
import { score } from './verification.ts';

/** A question as lists and figures show it. */
export interface QuestionSummary {
  id: string;
  /** The guard that led the question. */
  guard: string;
  headline: string;
  asked_at: string;
  resolved_at?: string;
  /** Who gave the answer that resolved it. Absent if nobody did, as with a run that expired. */
  by?: string;
}

/** One stretch of time of a run, for its timeline. `to` is missing while it lasts. */
export interface Span {
  /** `rest`: the work was ready, until somebody asked for another round. */
  kind: 'baseline' | 'turn' | 'held' | 'parked' | 'rest';
  from: string;
  to?: string;
  turn?: number;
  /** The round that follows a rest, or whose checks run before its first change. */
  round?: number;
  passed?: number;
  total?: number;
  /** Files that the run has changed so far, and the cost of this turn. Missing in summaries of older versions. */
  files?: number;
  cost_usd?: number;
}

/** The part of a run that lists, figures and the timeline need, small enough to read for many runs at once. */
export interface RunSummary {
  title: string;
  status: RunStatus;
  requested_by: string;
  requested_at: string;
  updated_at: string;
  turn: number;
  tests?: { unit: 'tests' | 'checks'; passed: number; total: number };
  active_ms: number;
  waiting_ms: number;
  cost_usd: number | null;
  finished?: { at: string; by?: string; partial: boolean };
  questions: QuestionSummary[];
  spans: Span[];
}

const MAX_QUESTIONS = 50;
const MAX_SPANS = 200;
const MAX_TITLE = 200;

/** The summary after a commit. `before` is missing for the first one, and for runs of older versions, whose timeline then starts here. */
export function summariseRun(
  before: RunSummary | undefined,
  state: RunState,
  events: readonly RunEvent[],
): RunSummary {
  const last = lastVerification(state);
  return {
    title: state.task.title.slice(0, MAX_TITLE),
    status: state.status,
    requested_by: state.requested_by,
    requested_at: state.requested_at,
    updated_at: state.updated_at,
    turn: state.turn,
    tests: last && score(last),
    active_ms: state.active_ms,
    waiting_ms: state.waiting_ms,
    cost_usd: state.usage.cost_usd,
    finished: state.finished && {
      at: state.finished.at,
      by: state.finished.by,
      partial: state.finished.partial,
    },
    questions: state.escalations.slice(-MAX_QUESTIONS).map((escalation) => ({
      id: escalation.id,
      guard: escalation.triggers[0]?.guard ?? '',
      headline: escalation.headline.slice(0, MAX_TITLE),
      asked_at: escalation.created_at,
      resolved_at: escalation.resolved_at,
      by: escalation.responses.at(-1)?.by,
    })),
    spans: events
      .reduce((spans, event) => addEvent(spans, event, state), before?.spans ?? [])
      .slice(-MAX_SPANS),
  };
}

/** The stretches of time after one more event. */
function addEvent(spans: readonly Span[], event: RunEvent, state: RunState): Span[] {
  const { at } = event;
  const closed = (kinds: readonly Span['kind'][]) =>
    spans.map((span) => (span.to === undefined && kinds.includes(span.kind) ? { ...span, to: at } : span));
  const round = spans.findLast(({ kind }) => kind === 'rest')?.round;
  switch (event.type) {
    case 'job_started':
      return presentRound(spans).some(({ kind }) => kind === 'baseline')
        ? closed(['parked'])
        : [...closed(['parked']), { kind: 'baseline', from: at, ...(round && { round }) }];
    case 'baseline_recorded':
      return closed(['baseline']).map((span, index, all) =>
        index === all.findLastIndex(({ kind }) => kind === 'baseline')
          ? { ...span, ...passedOf(event.verification) }
          : span,
      );
    case 'turn_started':
      return [...closed(WORKING), { kind: 'turn', from: at, turn: event.turn }];
    case 'turn_ended':
      return closed(WORKING).map((span, index, all) =>
        index === all.findLastIndex(({ kind }) => kind === 'turn')
          ? { ...span, ...figuresOf(event.record, state) }
          : span,
      );
    case 'escalation_raised':
      return askedAbout(closed(WORKING), event.escalation);
    case 'job_parked':
      return [...closed(['held', ...WORKING]), { kind: 'parked', from: at }];
    case 'escalation_resolved':
      return closed(['held']);
    case 'revision_started': {
      const from = spans.at(-1)?.to ?? at;
      return [...closed(['held', 'parked']), { kind: 'rest', from, to: at, round: event.revision.number }];
    }
    case 'run_finished':
      return closed(['baseline', 'turn', 'held', 'parked']);
    default:
      return [...spans];
  }
}

/** No job is held by a question about jobs, which may follow the end of one that parked. */
function askedAbout(spans: readonly Span[], escalation: Escalation): Span[] {
  const from = escalation.created_at;
  if (!isAboutJobs(escalation)) return [...spans, { kind: 'held', from }];
  const isParked = spans.some(({ kind, to }) => kind === 'parked' && to === undefined);
  return isParked ? [...spans] : [...spans, { kind: 'parked', from }];
}

/** Each round has a baseline of its own. */
function presentRound(spans: readonly Span[]): readonly Span[] {
  return spans.slice(spans.findLastIndex(({ kind }) => kind === 'rest') + 1);
}

const WORKING: readonly Span['kind'][] = ['baseline', 'turn', 'held'];

function figuresOf({ verification, changes, turn_cost_usd }: TurnRecord, { began }: RunState): Partial<Span> {
  return {
    ...(verification && passedOf(verification)),
    files: filesOfRun({ began, changes }),
    ...(turn_cost_usd === null ? {} : { cost_usd: turn_cost_usd }),
  };
}

function passedOf(verification: Parameters<typeof score>[0]): { passed: number; total: number } {
  const { passed, total } = score(verification);
  return { passed, total };
}
