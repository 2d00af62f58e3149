import * as z from 'zod';
import { ReadReport } from './agent/player-report.ts';
import { Answer } from './answer.ts';
import { InputRef } from './command.ts';
import { AgentMetrics, Escalation, EscalationStatus, Response } from './escalation.ts';
import { GuardId } from './guard.ts';
import { IsolationLevel } from './isolation.ts';
import { KeyCustody } from './key-custody.ts';
import { Predecessor } from './predecessor.ts';
import { CiReport, Revision, RevisionOutcome, RevisionSource, SettledRemark } from './revision.ts';
import { Task } from './task.ts';
import { BaseVerification, LostVerification, Verification } from './verification.ts';

/** P-3. The last five are final. */
export const RUN_STATUSES = [
  'pending',
  'building',
  'waiting_for_input',
  'reviewing',
  'approved',
  'rejected',
  'failed',
  'cancelled',
  'terminated_by_human',
] as const;
export const RunStatus = z.enum(RUN_STATUSES);
export type RunStatus = z.infer<typeof RunStatus>;

export const GuardLimitsSchema = z.record(z.string(), z.unknown());
const GuardStatesSchema = z.partialRecord(GuardId, z.unknown());

/** Totals of the whole run, over all jobs. */
export const Usage = z.object({
  input_tokens: z.number().nonnegative(),
  output_tokens: z.number().nonnegative(),
  /** The part of `input_tokens` that was read from the provider's cache. Missing in journals of older versions. */
  cached_tokens: z.number().nonnegative().optional(),
  /** Null: the agent does not report its cost. */
  cost_usd: z.number().nonnegative().nullable(),
});
export type Usage = z.infer<typeof Usage>;

/** Cached reads are left out, as the limit of a run's cost leaves them out. */
export function countedTokens({ input_tokens, output_tokens, cached_tokens = 0 }: Usage): number {
  return input_tokens + output_tokens - cached_tokens;
}

/** The agent's changes against the snapshot, as measured from the trusted git directory. */
export const ChangeSummary = z.object({
  paths: z.array(z.string()),
  added: z.number().int().nonnegative(),
  removed: z.number().int().nonnegative(),
});
export type ChangeSummary = z.infer<typeof ChangeSummary>;

export const TurnKind = z.enum(['normal', 'debug']);
export type TurnKind = z.infer<typeof TurnKind>;

/** One finished turn, as the history shows it. */
export const TurnRecord = z.object({
  turn: z.number().int().nonnegative(),
  kind: TurnKind,
  /** The agent of this turn. Missing in journals of older versions. */
  agent: z.string().optional(),
  /** The summary of the report, in the agent's words. */
  title: z.string().optional(),
  read: ReadReport.optional(),
  verification: Verification.optional(),
  signature: z.string().optional(),
  changes: ChangeSummary,
  /** This and the next three are figures of this turn alone. */
  turn_ms: z.number().nonnegative(),
  turn_cost_usd: z.number().nonnegative().nullable(),
  turn_added: z.number().int(),
  turn_removed: z.number().int(),
  exit: z.string(),
  /** The agent process itself failed. */
  failed: z.boolean().optional(),
  /** The end of the agent's stderr, if the agent process failed. */
  last_words: z.string().optional(),
  /** Edits that were reverted and not approved, so they are not part of the work. */
  put_back: z.array(z.string()).optional(),
});
export type TurnRecord = z.infer<typeof TurnRecord>;

export const KnownIssue = z.object({
  title: z.string(),
  tests: z.array(z.string()),
  checks: z.array(z.string()),
  by: z.string(),
  at: z.iso.datetime(),
});
export type KnownIssue = z.infer<typeof KnownIssue>;

/** A file that a person has approved with exactly this content. */
export const ApprovedFile = z.object({
  path: z.string(),
  digest: z.string(),
  /** The digest is the job's claim about an edit that it held or reverted, so it approves no sensitive file of finished work. */
  by_job: z.literal(true).optional(),
});
export type ApprovedFile = z.infer<typeof ApprovedFile>;

/** The delays before a person is asked again (E-12). */
export const ReminderPlan = z.object({
  every_ms: z.number().positive(),
  high_every_ms: z.number().positive(),
  /** The longest time to wait for an answer. Absent: no limit. */
  expire_ms: z.number().positive().optional(),
});
export type ReminderPlan = z.infer<typeof ReminderPlan>;

const at = z.iso.datetime();
const escalation = z.string();
/** Figures of a turn that was stopped midway. Missing in journals of older versions. */
const soFar = { usage: Usage.optional(), changes: ChangeSummary.optional() };

/** An event of the journal, in the past tense. `evolve` copies its facts and decides nothing. */
export const RunEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('run_requested'),
    at,
    run: z.string(),
    task: Task,
    agent: z.string(),
    agents: z.array(z.string()),
    checks: z.array(z.string()),
    limits: GuardLimitsSchema,
    known_errors: z.array(z.string()),
    reminders: ReminderPlan,
    requested_by: z.string(),
    fresh_verification: z.boolean().optional(),
  }),
  z.object({
    type: z.literal('job_started'),
    at,
    job: z.number().int().positive(),
    isolation: IsolationLevel.optional(),
  }),
  z.object({
    type: z.literal('baseline_recorded'),
    at,
    verification: Verification,
    guards: GuardStatesSchema,
  }),
  z.object({
    type: z.literal('turn_started'),
    at,
    turn: z.number().int(),
    kind: TurnKind,
    resumed: z.boolean(),
    keys: KeyCustody.optional(),
  }),
  z.object({
    type: z.literal('turn_ended'),
    at,
    record: TurnRecord,
    guards: GuardStatesSchema,
    metrics: AgentMetrics,
    active_ms: z.number().nonnegative(),
    usage: Usage,
    /** Digest of the work that is claimed to be complete. */
    changeset: z.string().optional(),
    /** The files of that work by the desk's own reading, in a round. */
    files: z.array(z.string()).optional(),
    /** The remarks whose suggestion is in that work, by the desk's own reading. */
    applied: z.array(z.string()).optional(),
  }),
  z.object({
    type: z.literal('escalation_raised'),
    at,
    escalation: Escalation,
    guards: GuardStatesSchema,
    usage: soFar.usage,
  }),
  z.object({
    type: z.literal('agent_frozen'),
    at,
    escalation,
    processes: z.number().int().nonnegative(),
    ms: z.number().nonnegative(),
    changes: soFar.changes,
  }),
  z.object({
    type: z.literal('inputs_given'),
    at,
    escalation,
    inputs: z.record(z.string(), InputRef),
    by: z.string(),
  }),
  z.object({ type: z.literal('response_recorded'), at, escalation, response: Response }),
  z.object({
    type: z.literal('escalation_resolved'),
    at,
    escalation,
    status: EscalationStatus,
    by: z.string(),
  }),
  z.object({
    type: z.literal('limits_changed'),
    at,
    rev: z.number().int().positive(),
    limits: GuardLimitsSchema,
    /** Glob patterns. Journals of older versions have the names of proposed files among them. */
    approved_paths: z.array(z.string()),
    /** Absent: unchanged. */
    approved_names: z.array(z.string()).optional(),
    approved_files: z.array(ApprovedFile).optional(),
    /** Literal directories. Absent: unchanged. */
    approved_folders: z.array(z.string()).optional(),
  }),
  z.object({ type: z.literal('answer_prepared'), at, answer: Answer }),
  z.object({ type: z.literal('answer_delivered'), at, answer: z.string() }),
  z.object({ type: z.literal('answer_acknowledged'), at, escalation, text: z.string() }),
  z.object({
    type: z.literal('agent_changed'),
    at,
    agent: z.string(),
    /** Missing in journals of older versions. */
    predecessor: Predecessor.optional(),
  }),
  z.object({ type: z.literal('known_issue_recorded'), at, issue: KnownIssue }),
  z.object({ type: z.literal('review_shown'), at, escalation: z.string().optional(), by: z.string() }),
  z.object({
    type: z.literal('run_paused'),
    at,
    by: z.string(),
    rearm: z.array(GuardId),
    /** The month whose budget is spent, such as `2026-11`. */
    over_budget: z.string().optional(),
    /** The attempt of the verification that will have no result, because people were asked about its job. */
    lost_verification: z
      .object({ attempt: z.number().int().positive(), log_url: z.string().optional() })
      .optional(),
  }),
  /** The job ended as planned, with its work saved. */
  z.object({
    type: z.literal('job_parked'),
    at,
    active_ms: z.number().nonnegative(),
    guards: GuardStatesSchema,
    ...soFar,
  }),
  /** The job ended unplanned: it was found dead, or it reported so itself. */
  z.object({
    type: z.literal('job_lost'),
    at,
    reason: z.string(),
    /** A person starts the next job. */
    resumed: z.literal(true).optional(),
  }),
  /** The job ended as planned, and a successor job continues without a person (K-7). */
  z.object({
    type: z.literal('job_handed_over'),
    at,
    handoff_path: z.string().optional(),
    active_ms: z.number().nonnegative(),
    guards: GuardStatesSchema,
    ...soFar,
  }),
  z.object({ type: z.literal('agent_terminated'), at, escalation, reason: z.string() }),
  z.object({ type: z.literal('reminder_sent'), at, escalation, number: z.number().int().positive() }),
  z.object({
    type: z.literal('command_refused'),
    at,
    command: z.string(),
    by: z.string(),
    reason: z.string(),
  }),
  /** The player reports completion and the job's checks pass, so a fresh job verifies the result. */
  z.object({ type: z.literal('verification_requested'), at, attempt: z.number().int().positive() }),
  /** A person gave the agent more to do meanwhile, or the verified work is not the work that was examined. */
  z.object({ type: z.literal('verification_dropped'), at, by: z.string() }),
  z.object({
    type: z.literal('verification_reported'),
    at,
    verification: Verification,
    /** Digest of the changeset that was verified. */
    changeset: z.string().optional(),
    /** The guard states after a failed verification, which counts like any other. Missing in journals of older versions. */
    guards: z.partialRecord(GuardId, z.unknown()).optional(),
    with_base: BaseVerification.optional(),
  }),
  /** The pull request was closed unmerged before the run was done. */
  z.object({ type: z.literal('pull_request_closed'), at, pull: z.number().int().positive(), by: z.string() }),
  z.object({
    type: z.literal('pull_request_reopened'),
    at,
    pull: z.number().int().positive(),
    by: z.string(),
  }),
  /** Somebody asked for a round; what it is about is looked up before it begins. */
  z.object({
    type: z.literal('revision_asked'),
    at,
    by: z.string(),
    /** When the person said it, by GitHub's clock. Absent: GitHub does not know of it, or an older version asked. */
    said_at: z.iso.datetime().optional(),
    source: RevisionSource,
    url: z.string().optional(),
    instruction: z.string().optional(),
  }),
  /** There was nothing to do, or the round could not begin. */
  z.object({ type: z.literal('revision_dropped'), at, reason: z.string() }),
  /** A person allowed more rounds than the config does. */
  z.object({
    type: z.literal('revisions_allowed'),
    at,
    by: z.string(),
    more: z.number().int().positive(),
  }),
  z.object({
    type: z.literal('revision_started'),
    at,
    revision: Revision,
    limits: GuardLimitsSchema,
    guards: GuardStatesSchema,
  }),
  z.object({
    type: z.literal('revision_ended'),
    at,
    outcome: RevisionOutcome,
    reason: z.string().optional(),
    remarks: z.array(SettledRemark),
  }),
  /** The branch moved before the round's work was on it, and the round continues on that head. `changeset`: its work there. */
  z.object({
    type: z.literal('revision_moved'),
    at,
    round: z.number().int().min(2),
    head: z.string(),
    changeset: z.string(),
    /** That head has the same files, so the verified work is still verified. */
    verified: z.literal(true).optional(),
  }),
  /** A later report about the same head has the same number. */
  z.object({
    type: z.literal('ci_reported'),
    at,
    number: z.number().int().positive(),
    /** The round whose work it is about. The build is round 1. */
    round: z.number().int().positive(),
    report: CiReport,
    /** The same error failed three rounds in a row, and this question asks about it. */
    escalation: z.string().optional(),
  }),
  z.object({
    type: z.literal('ci_answered'),
    at,
    number: z.number().int().positive(),
    answer: z.enum(['fix', 'ignore']),
    by: z.string(),
  }),
  z.object({ type: z.literal('run_judged'), at, status: z.enum(['approved', 'rejected']), by: z.string() }),
  z.object({
    type: z.literal('run_finished'),
    at,
    status: RunStatus,
    /** False: complete by the checks. True: stopped with the work that existed. */
    partial: z.boolean(),
    reason: z.string(),
    by: z.string().optional(),
    /** The run waited for a person longer than the config allows. */
    expired: z.literal(true).optional(),
    /** How the last fresh job was lost, where none of them reported. Absent in journals of older versions. */
    lost_verification: LostVerification.optional(),
  }),
]);
export type RunEvent = z.infer<typeof RunEvent>;
