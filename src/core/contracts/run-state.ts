import type { BlockedReport } from './agent/blocked-report.ts';
import type { ReadReport } from './agent/player-report.ts';
import type { Answer } from './answer.ts';
import type { InputRef } from './command.ts';
import type { AgentMetrics, Escalation, EscalationContext } from './escalation.ts';
import type { DeskFigures, GuardId, GuardLimits, GuardStates } from './guard.ts';
import type { IsolationLevel } from './isolation.ts';
import type { KeyCustody } from './key-custody.ts';
import type { Predecessor } from './predecessor.ts';
import type {
  CiReport,
  Revision,
  RevisionOutcome,
  RevisionSource,
  SettledRemark,
  WordsRead,
} from './revision.ts';
import type {
  ApprovedFile,
  ChangeSummary,
  KnownIssue,
  ReminderPlan,
  RunStatus,
  TurnKind,
  TurnRecord,
  Usage,
} from './run-event.ts';
import type { Task } from './task.ts';
import type { BaseVerification, LostVerification, Verification } from './verification.ts';

/** A round that somebody asked for and that has not begun. */
export interface AskedRevision {
  at: string;
  by: string;
  /** By GitHub's clock, where it knows of the word. */
  said_at?: string;
  source: RevisionSource;
  url?: string;
  instruction?: string;
}

/** The present round, and the run as it rested before, to which a cancelled round returns. */
export interface RunningRevision extends Revision {
  at: string;
  before: Pick<
    RunState,
    'finished' | 'changeset' | 'fresh' | 'with_base' | 'baseline' | 'changes' | 'known_issues'
  > & {
    turns: number;
    cost_usd: number | null;
    active_ms: number;
    /** The number of the last turn, and how many turns the limit counts. Missing in states of older versions. */
    turn?: number;
    counted_turns?: number;
  };
  /** As its jobs told it last: what differs from its head. */
  changes?: ChangeSummary;
  /** The files of the work that is claimed to be complete, by the desk's own reading. */
  files?: string[];
  /** The remarks whose suggestion is in that work. */
  applied?: string[];
  /** When the round continued on another head, because the branch had moved. */
  moved?: string;
}

/** A round that is over. */
interface EndedRevision
  extends Pick<Revision, 'number' | 'by' | 'source' | 'url' | 'head' | 'update' | 'unpublished'> {
  at: string;
  ended_at: string;
  outcome: RevisionOutcome;
  reason?: string;
  /** The remarks by thread, so that a thread that was answered is known. */
  remarks: (SettledRemark & { thread?: string; path?: string; read?: WordsRead })[];
  turns: number;
  cost_usd: number | null;
  summary?: string;
}

/** CI on one head, and what a person said to it. */
export interface KnownCi extends CiReport {
  number: number;
  round: number;
  at: string;
  escalation?: string;
  answer?: { answer: 'fix' | 'ignore'; by: string };
}

/** Everything that is known about a run. It is the fold of the journal and nothing else. */
export interface RunState {
  run: string;
  status: RunStatus;
  task: Task;
  agent: string;
  /** The agent from which the present one took over. */
  predecessor?: Predecessor;
  agents: string[];
  checks: string[];
  known_errors: string[];
  reminders: ReminderPlan;
  requested_by: string;
  requested_at: string;
  updated_at: string;
  limits: GuardLimits;
  limits_rev: number;
  /** The limits revision at which each guard was last re-armed. A trip that was claimed under an older revision is void. */
  rearmed_at: Partial<Record<GuardId, number>>;
  /** Glob patterns. */
  approved_paths: string[];
  /** Literal file names: never patterns, whatever characters they have. */
  approved_names?: string[];
  /** Files that are approved with the content they had at that time. */
  approved_files?: ApprovedFile[];
  /** Literal directories that were approved by their box. They cover nothing that is sensitive. */
  approved_folders?: string[];
  jobs: number;
  /** As the current job told it. Missing from jobs of older versions. */
  isolation?: IsolationLevel;
  /** As the present or last turn told it. */
  keys?: KeyCustody;
  job_live: boolean;
  /** Start of the newest job, and the working time before it. Missing in states of older versions. */
  job_began?: { at: string; active_ms: number };
  /** Jobs lost in a row, without a finished turn or a person's answer between them. */
  losses?: number;
  /** Those of them, the newest in a row, that ended before the job began. */
  unstarted?: number;
  baseline?: Verification;
  /** The present or last turn; 0 before the first. */
  turn: number;
  turn_open: boolean;
  turn_kind: TurnKind;
  turns: TurnRecord[];
  guards: GuardStates;
  /** Missing in states of older versions. */
  counted?: DeskFigures;
  metrics: AgentMetrics;
  active_ms: number;
  /** Time spent waiting for a person, over all closed escalations. */
  waiting_ms: number;
  usage: Usage;
  changes: ChangeSummary;
  last_read?: ReadReport;
  blocked_report?: BlockedReport;
  escalations: Escalation[];
  /** The id of the open question. */
  pending?: string;
  /** Values given so far for the open question. */
  given: Record<string, InputRef>;
  /** `since` is missing in states of older versions. */
  paused?: {
    rearm: GuardId[];
    since?: string;
    over_budget?: string;
    lost_verification?: { attempt: number; log_url?: string };
  };
  /** The month in which a person let the run continue although the repository's budget was spent. */
  allowed_over_budget?: string;
  /** The pull request that was closed unmerged before the run was done. `answered`: somebody has let the run continue since. */
  closed_pull?: { number: number; by: string; answered?: true };
  /** Answers that no job has fetched yet, oldest first. */
  answers: Answer[];
  /** Answers that the job has fetched but its counters do not reflect yet. If the job is lost, its successor gets them again. */
  delivered?: Answer[];
  /** Instructions of operators that apply to the rest of the run, newest last. */
  guidance: string[];
  /** The problem that the present or next debugging turn investigates. */
  debug?: string;
  known_issues: KnownIssue[];
  handoff_path?: string;
  fresh_verification?: boolean;
  /** Digest of the work that was claimed to be complete, then of the verified work. Only this work is published as complete. */
  changeset?: string;
  /** The number of the attempt in which a fresh job runs the checks. */
  verifying?: number;
  /** The last fresh job's result, until a turn ends with a result of its own. Its presence says which is newer, because two clocks cannot be compared. */
  fresh?: Verification;
  /** The same job's second result, with the base's versions of the files that the checks depend on. */
  with_base?: BaseVerification;
  finished?: {
    partial: boolean;
    reason: string;
    by?: string;
    at: string;
    expired?: true;
    lost_verification?: LostVerification;
  };
  /** Rounds after the first pull request: asked for, at work, over. */
  asked_revisions?: AskedRevision[];
  revision?: RunningRevision;
  revisions?: EndedRevision[];
  /** The newest round with a result, as it ended, in case that the branch has moved before its work is there. */
  publishing?: RunningRevision;
  /** V-1: later rounds count from here: the checks before the build, and the files of all rounds before the present one. */
  began?: { baseline?: Verification; paths: string[] };
  /** CI by head, oldest first. Logs are those of the newest only. */
  ci?: KnownCi[];
  /** More rounds that a person allowed beyond the config's limit. */
  more_revisions?: number;
}

export function pendingEscalation(state: RunState): Escalation | undefined {
  return state.escalations.find((escalation) => escalation.id === state.pending);
}

/** The newest verification: the fresh job's, or that of the last turn that has one. */
export function lastVerification(state: RunState): Verification | undefined {
  return state.fresh ?? state.turns.findLast((turn) => turn.verification)?.verification;
}

/** The checks before the first change of the run. Each round has a baseline of its own, which is the one that its agent gets. */
export function firstBaseline({ began, baseline }: RunState): Verification | undefined {
  return began ? began.baseline : baseline;
}

/** All files that the run has changed so far, in all its rounds. */
export function filesOfRun({ began, changes }: Pick<RunState, 'began' | 'changes'>): number {
  return began ? new Set([...began.paths, ...changes.paths]).size : changes.paths.length;
}

type RoundFigures = NonNullable<EscalationContext['of_round']>;

/**
 * V-1: turns and time of the present round, because they are limited by round. Turns keep their numbers over all rounds, and
 * their limit moves on with them, so both are counted from the round's beginning. Undefined: there is no round.
 */
export function figuresOfRound(
  { revision }: Pick<RunState, 'revision'>,
  { turn, max_turns, active_ms }: Pick<EscalationContext, 'turn' | 'max_turns' | 'active_ms'>,
): RoundFigures | undefined {
  if (!revision) return undefined;
  const { turns, turn: last = turns, counted_turns = last, active_ms: worked } = revision.before;
  return {
    number: revision.number,
    turn: Math.max(0, turn - last),
    max_turns: max_turns === null ? null : Math.max(1, max_turns - counted_turns),
    active_ms: Math.max(0, active_ms - worked),
  };
}

/** The pull request was closed, and nobody has decided yet whether the run continues. */
export function waitsOverClosedPull(state: RunState): boolean {
  return state.closed_pull !== undefined && !state.closed_pull.answered && isUnderWay(state);
}

/**
 * `working`: a job works or is on its way. `waiting`: a person has to say something first. `resting`: the work waits for a
 * merge or a close. `ended`: nothing happens any more.
 */
export type RunPhase = 'working' | 'waiting' | 'resting' | 'ended';

const ENDED: ReadonlySet<RunStatus> = new Set([
  'approved',
  'rejected',
  'failed',
  'cancelled',
  'terminated_by_human',
]);

export function phaseOf(state: RunState): RunPhase {
  if (ENDED.has(state.status)) return 'ended';
  if (state.status === 'reviewing') return 'resting';
  return state.pending !== undefined || state.paused || waitsOverClosedPull(state) ? 'waiting' : 'working';
}

/** Neither at rest nor ended. */
export function isUnderWay({ status }: RunState): boolean {
  return status !== 'reviewing' && !ENDED.has(status);
}

/** The pull request is ready, and no round works on it. A question for more rounds may be open. */
export function isAtRest({ finished, revision, status }: RunState): boolean {
  return finished !== undefined && revision === undefined && !ENDED.has(status);
}

/** Identifies a verification within its run by the turn it follows and the number of retries after lost jobs. */
export function verificationName({ turns, verifying, revision }: RunState): string {
  // The same work on another head is verified again.
  return `${turns.length}.${revision?.moved ? 'moved-' : ''}${verifying ?? 0}`;
}
