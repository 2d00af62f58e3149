import type { Answer } from './answer.ts';
import type { BlockedReport } from './blocked-report.ts';
import type { InputRef } from './command.ts';
import type { AgentMetrics, Escalation } from './escalation.ts';
import type { GuardId, GuardLimits, GuardStates } from './guard.ts';
import type { ReadReport } from './player-report.ts';
import type { Predecessor } from './predecessor.ts';
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
import type { Verification } from './verification.ts';

/** Everything that is known of a run: the fold of its journal, nothing else. */
export interface RunState {
  run: string;
  status: RunStatus;
  task: Task;
  agent: string;
  /** Whom the agent took the run over from. */
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
  /** The limits revision at which each guard was last re-armed: an older claim of its trip is void. */
  rearmed_at: Partial<Record<GuardId, number>>;
  /** Patterns. */
  approved_paths: string[];
  /** Beside those, each by its name alone: no pattern, whatever it is called. */
  approved_names?: string[];
  /** Beside those, as they stood when they were approved. */
  approved_files?: ApprovedFile[];
  jobs: number;
  job_live: boolean;
  /** When the newest job began, and what had been worked by then. Missing in states of older versions. */
  job_began?: { at: string; active_ms: number };
  /** Jobs lost one after the other, with neither a finished turn nor a person's answer between them. */
  losses?: number;
  baseline?: Verification;
  /** The turn that runs or ran last; 0 before the first. */
  turn: number;
  turn_open: boolean;
  turn_kind: TurnKind;
  turns: TurnRecord[];
  guards: GuardStates;
  metrics: AgentMetrics;
  active_ms: number;
  /** Waiting for a person, over all closed escalations. */
  waiting_ms: number;
  usage: Usage;
  changes: ChangeSummary;
  last_read?: ReadReport;
  blocked_report?: BlockedReport;
  escalations: Escalation[];
  /** Id of the open question. */
  pending?: string;
  /** Values given so far for the open question. */
  given: Record<string, InputRef>;
  /** `since` is missing in states of older versions. */
  paused?: { rearm: GuardId[]; since?: string };
  /** The pull request that was closed unmerged before the run was done, and whether somebody has let the run go on since. */
  closed_pull?: { number: number; by: string; answered?: true };
  /** Prepared, not yet taken by a job. Oldest first. */
  answers: Answer[];
  /** Taken by the job, whose counters do not show it yet: lost with the job, so given to its successor again. */
  delivered?: Answer[];
  /** What operators said that holds for the rest of the run; newest last. */
  guidance: string[];
  /** What the debugging turn that comes or runs is to look into. */
  debug?: string;
  known_issues: KnownIssue[];
  handoff_path?: string;
  fresh_verification?: boolean;
  /** Digest of the work that was claimed to be complete, and then of what was verified: this alone is published as such. */
  changeset?: string;
  /** A fresh job runs the checks, for the n-th time. */
  verifying?: number;
  /** What the last fresh job reported, while no turn has ended with a result of its own since: two clocks are not compared. */
  fresh?: Verification;
  finished?: { partial: boolean; reason: string; by?: string; at: string; expired?: true };
}

export function pendingEscalation(state: RunState): Escalation | undefined {
  return state.escalations.find((escalation) => escalation.id === state.pending);
}

/** The newest word: a fresh job's, or that of the last turn that has one. */
export function lastVerification(state: RunState): Verification | undefined {
  return state.fresh ?? state.turns.findLast((turn) => turn.verification)?.verification;
}

/** Its pull request was closed, and nobody has said yet what is to become of the run. */
export function waitsOverClosedPull(state: RunState): boolean {
  return state.closed_pull !== undefined && !state.closed_pull.answered && !isFinished(state);
}

const FINAL: ReadonlySet<RunStatus> = new Set([
  'reviewing',
  'approved',
  'rejected',
  'failed',
  'cancelled',
  'terminated_by_human',
]);

export function isFinished(state: RunState): boolean {
  return FINAL.has(state.status);
}
