import * as z from 'zod';
import type { BlockerCategory } from './agent/blocked-report.ts';
import { HelpRequest } from './agent/help-request.ts';
import { type PlayerReport, type ReadReport, ReportProblem } from './agent/player-report.ts';
import { ErrorSighting, ExternalBlocker, type Verification } from './verification.ts';

/** The key under `guards:` in the config and the trigger's name in the journal. The registry of the guards has the only list. */
export const GuardId = z.string().regex(/^[a-z][a-z_]*$/);
export type GuardId = z.infer<typeof GuardId>;

export const ESCALATION_TYPES = [
  'repeated_error',
  'verification_limit',
  'progress_stall',
  'scope_drift',
  'external_blocker',
  'iteration_limit',
  'runtime_limit',
  'loop_detected',
  'error_threshold',
  'need_help',
  'review_required',
  'cost_limit',
] as const;
export const EscalationType = z.enum(ESCALATION_TYPES);
export type EscalationType = z.infer<typeof EscalationType>;

export const TriggerKind = z.enum(['error_count', 'attempt_count', 'file_count', 'blocker_type']);
export type TriggerKind = z.infer<typeof TriggerKind>;

/** One occurrence of an error, and what the agent did about it before the next one (E-1). */
export const Occurrence = z.object({
  turn: z.number().int().nonnegative(),
  at: z.iso.datetime(),
  operation: z.string(),
  error: ErrorSighting,
  remediation: z.array(z.string()),
});
export type Occurrence = z.infer<typeof Occurrence>;

/** One action of the player, as the history shows it. */
export const ActionRecord = z.object({
  turn: z.number().int().nonnegative(),
  at: z.iso.datetime(),
  title: z.string(),
  ok: z.boolean(),
  result: z.string(),
});
export type ActionRecord = z.infer<typeof ActionRecord>;

export const PassRate = z.object({
  turn: z.number().int().nonnegative(),
  unit: z.enum(['tests', 'checks']),
  passed: z.number(),
  total: z.number(),
});
export type PassRate = z.infer<typeof PassRate>;

/** A reason why a person has to look at a write. */
export const WriteReason = z.enum([
  'file_limit',
  'out_of_scope',
  'gate_bypassed',
  'protected',
  'workflow',
  'owners',
  'agent_config',
]);
export type WriteReason = z.infer<typeof WriteReason>;

/** A write that the limits do not allow. It is held before it happens, reverted and saved elsewhere, or found in finished work. */
export const ProposedWrite = z.object({
  path: z.string(),
  why: z.enum(['file_limit', 'out_of_scope', 'gate_bypassed', 'protected', 'workflow']),
  held: z.boolean(),
  /** It is part of finished work, which is committed only after a person approves. */
  finished: z.boolean().optional(),
  diff: z.string().optional(),
  /** Every reason. `why` stands for one of them: `protected` also for files that agents or owners obey. Missing in journals of older versions. */
  reasons: z.array(WriteReason).optional(),
  /** Digest of the content that the job measured. Absent: the agent did not say what it will write, or the desk computes it. */
  digest: z.string().optional(),
  /** The patterns that make the path sensitive. A typed pattern has to name them. */
  guarded_by: z.array(z.string()).optional(),
});
export type ProposedWrite = z.infer<typeof ProposedWrite>;

export const ExaminedFile = z.object({
  path: z.string(),
  digest: z.string(),
  /** A person approved this file with other content. */
  approved_before: z.boolean().optional(),
});
export type ExaminedFile = z.infer<typeof ExaminedFile>;

/** The measured facts. Each guard fills the fields it has, and the renderers show every field that is filled. */
export const Evidence = z.object({
  occurrences: z.array(Occurrence).optional(),
  attempts: z.array(ActionRecord).optional(),
  pass_rates: z.array(PassRate).optional(),
  signature: z.string().optional(),
  turns: z.array(z.number().int()).optional(),
  files: z.array(z.string()).optional(),
  scope: z.array(z.string()).optional(),
  proposed: z.array(ProposedWrite).optional(),
  /** The proposed files whose content is approved with their path. The desk computes the digests, because a job's would be a claim. */
  examined: z.array(ExaminedFile).optional(),
  blocker: ExternalBlocker.optional(),
  first_seen: z.iso.datetime().optional(),
  tried_again: z.iso.datetime().optional(),
  operation: z.string().optional(),
  help: HelpRequest.optional(),
  help_raw: z.string().optional(),
  help_problem: z.string().optional(),
  review_reason: z.string().optional(),
  review_types: z.array(z.string()).optional(),
  review_derived: z.boolean().optional(),
  report_problems: z.array(ReportProblem).optional(),
  /** K-10: the agent reports completion, but the checks pass without any work and no file was changed. */
  nothing_changed: z.literal(true).optional(),
  /** The agent reports completion, but of the files that the job says it changed none can be read. Their number. */
  missing_work: z.number().int().positive().optional(),
  unit: z.string().optional(),
  /** How much more an answer allows, in the same unit. Missing in journals of older versions. */
  step: z.number().positive().optional(),
});
export type Evidence = z.infer<typeof Evidence>;

/** The agent asked for help, in a message that could be read or in one that could not. */
export function asksForHelp({ help, help_raw, help_problem }: Evidence): boolean {
  return help !== undefined || help_raw !== undefined || help_problem !== undefined;
}

/** The agent's report asks for a person's decision. */
export function asksForReview({ review_reason, review_types }: Evidence): boolean {
  return review_reason !== undefined || review_types !== undefined;
}

/** Only a person can decide how the run continues: the agent's report says so, or there is no work to judge. */
export function needsDecision(evidence: Evidence): boolean {
  return asksForReview(evidence) || evidence.nothing_changed === true;
}

/** A limit of the whole run. Beside its own question it bounds what a turn may do, and it is shown wherever the run is. */
export const RunLimit = z.enum(['turns', 'minutes', 'files', 'cost', 'scope']);
export type RunLimit = z.infer<typeof RunLimit>;

/** A guard that tripped, with objective figures only, never a score of confidence (E-15). */
export const Trigger = z.object({
  guard: GuardId,
  kind: TriggerKind,
  threshold: z.number().nullable(),
  observed: z.number(),
  evidence: Evidence,
  /** The run's limit that was reached, if it is one. */
  run_limit: RunLimit.optional(),
  /** The counter's name and figures where several are listed. Missing in journals of older versions. */
  shown: z.object({ counter: z.string(), figure: z.string() }).optional(),
});
export type Trigger = z.infer<typeof Trigger>;

/** With both, the tokens count only while the agent reports no money. */
export interface CostInForce {
  dollars?: number;
  tokens?: number;
}

/** The run's limits as plain values. Only the guards can read them from `GuardLimits`. */
export interface LimitsInForce {
  turns: number | null;
  minutes: number | null;
  files: number | null;
  /** Null: spending has no limit. */
  cost: CostInForce | null;
  /** The guard that keeps the agent within the task's paths. Null: it is off. */
  scope: GuardId | null;
}

/** A choice offered to the operator. Ticking its box feeds `command` to the one parser. */
export const Option = z.object({
  id: z.string().regex(/^[a-z0-9-]+$/),
  label: z.string(),
  description: z.string(),
  command: z.string().startsWith('/'),
});
export type Option = z.infer<typeof Option>;

/** A measurement. Agent, verification, operator and clock produce them, and guards see them in the order they happened. */
export type GuardEvent =
  /** `counted: false` for a debugging turn, because it repeats the failure on purpose and changes no file. */
  | { type: 'turn_started'; turn: number; counted?: boolean }
  | {
      type: 'action_ended';
      at: string;
      turn: number;
      kind: 'edit' | 'command' | 'read' | 'search' | 'other';
      title: string;
      /** The command, or the tool and its path. The failure counts as overcome once this passes. */
      operation: string;
      ok: boolean;
      refused: boolean;
      /** The agent ran one of the verify commands itself. */
      is_check: boolean;
      errors: ErrorSighting[];
      blocker?: ExternalBlocker;
    }
  | { type: 'files_changed'; turn: number; paths: string[] }
  | { type: 'write_proposed'; turn: number; proposed: ProposedWrite; files: string[]; scope: string[] }
  | { type: 'verified'; at: string; turn: number; verification: Verification; signature: string }
  /** The checks before turn 1. They are a reference point and count neither as an occurrence nor as an attempt. */
  | { type: 'baseline'; at: string; verification: Verification }
  | {
      type: 'usage';
      turn: number;
      input_tokens: number;
      output_tokens: number;
      cached_tokens?: number;
      cost_usd: number;
    }
  | { type: 'clock'; active_ms: number }
  | { type: 'help_requested'; turn: number; help?: HelpRequest; raw?: string; problem?: string }
  | { type: 'report_received'; at: string; turn: number; read: ReadReport & { report: PlayerReport } }
  /** `counted: false` for a debugging turn. */
  | { type: 'turn_ended'; at: string; turn: number; counted: boolean; title: string }
  /** An operator's answer re-arms every guard it lists (G-6). */
  | { type: 'rearmed'; guards: GuardId[] }
  /** Another agent continues the run, so counters start at 0. The history is kept elsewhere (E-14). */
  | { type: 'agent_changed' };

/** Asks the operator for help in their own words, and names the command to reply with. */
export const Hint = z.object({
  text: z.string(),
  command: z.string().startsWith('/'),
  /** Shown before the boxes, because a hint helps more than any of them. */
  first: z.boolean(),
  /** An answer also allows this: "5 more turns". */
  grants: z.string().optional(),
});
export type Hint = z.infer<typeof Hint>;

/** The measurement of a trigger whose limit was reached. */
export type ReachedLimit = Pick<Trigger, 'observed' | 'evidence'>;

/** The run's progress when a guard trips. Guards mention it in their texts. */
export interface Progress {
  turn: number;
  max_turns: number;
  score?: { unit: 'tests' | 'checks'; passed: number; total: number };
  /** The round that asks, if the pull request was ready before. */
  round?: number;
  /** Turns before the round. Those of a trigger count over all rounds. */
  earlier_turns?: number;
}

/** counted by the desk from the events of the journal, because a job may claim any figure. */
export interface DeskFigures {
  /** Turns of the present agent that have ended, without debugging turns. */
  turns: number;
  /** All turns that have ended since a person's last word. */
  turns_since_word: number;
  /** Verifications since a person's last word, by the job and by fresh jobs. */
  verifications: number;
  /** Jobs in a row that ended as planned, with no turn finished and no word of a person between them. */
  idle_jobs: number;
}

/** Finished work that a person has to look at before it is committed. */
export interface UnapprovedWork {
  /** The number of changed files, approved ones not counted. */
  files: number;
  scope?: string[];
  proposed: ProposedWrite[];
  examined: ExaminedFile[];
  /** The checks pass without any work, and no file was changed (K-10). */
  nothing_changed?: boolean;
  /** How many files the job says it changed, if none of its work arrived or can be read. */
  missing_work?: number;
}

/**
 * One objective rule: it reduces measurements to a state, and trips on that state or not. It is pure and its state is plain
 * JSON, so that a checkpoint or a journal gives the same result again.
 */
export interface Guard<State = unknown, Config = unknown> {
  readonly id: GuardId;
  /** Completes the sentence "Trips when" in the docs of the config. */
  readonly trips: string;
  /**
   * Whether it names the cause of a stop. A symptom, such as a limit that is reached because of a repeated error, asks its
   * own question only if no cause tripped with it.
   */
  readonly names: 'cause' | 'symptom';
  /** G-13: the header of its question. */
  readonly header: string;
  /** The header where it depends on the trigger. */
  headerOf?(trigger: Trigger): string;
  /** The name of its counter where several figures are listed. */
  readonly counter: string;
  /** The counter's name where it depends on the trigger. */
  counterOf?(trigger: Trigger): string;
  /** The observed value beside the threshold. Absent: `3/3`. */
  figure?(trigger: Trigger, progress: Progress): string;
  /** Absent: the question only says that it can be answered in own words. */
  readonly hint?: Hint;
  /** The hint where it depends on the trigger. */
  hintOf?(trigger: Trigger): Hint | undefined;
  /** The category of the issue in a report that Autobuild writes in the agent's place (B-7). */
  readonly category: BlockerCategory;
  readonly type: EscalationType;
  readonly kind: TriggerKind;
  /** The limit of the run that this guard enforces. No other guard enforces the same one. */
  readonly runLimit?: RunLimit;
  /** Schema of the value under `guards.<id>`. It parses `undefined` to the default. `off` switches any guard off. */
  readonly config: z.ZodType<Config | 'off'>;
  /** The allowed values, as config errors and docs list them. */
  readonly allowed: string;
  readonly initial: State;
  /** Schema of the state in a claim or a checkpoint, which anybody may have written. Fields that a later version adds need a default. */
  readonly state: z.ZodType<State>;
  reduce(state: State, event: GuardEvent): State;
  check(state: State, config: Config): Trigger | undefined;
  /** The state as the desk itself counts it. Absent: only the job can measure it. */
  countedAtDesk?(figures: DeskFigures): State;
  /** Trips even if the guard is off, because no limit allows it. */
  checkOff?(state: State): Trigger | undefined;
  /** Trips on finished work that a person has to look at. Called even if the guard is off. */
  examine?(work: UnapprovedWork, config: Config | 'off'): Trigger | undefined;
  /** The limit after an answer such as `/continue +5`. Absent: the answer resets the counter instead. */
  grow?(
    config: Config,
    by: { turns?: number; minutes?: number; files?: number },
    reached: ReachedLimit,
  ): Config;
  /** The limit of the next round, if its figure continues over all rounds. Absent: the counter restarts (V-1). */
  nextRound?(figures: DeskFigures, config: Config): Config;
  headline(trigger: Trigger, progress: Progress): string;
  question(trigger: Trigger, progress: Progress): string;
  /** Any answer that continues the run allows this: "5 more turns". Absent: nothing more. */
  grants?(trigger: Trigger): string;
  /** A fact that neither the headline nor the evidence shows. */
  why?(trigger: Trigger): string;
  options(trigger: Trigger, progress: Progress): Option[];
}

/** Code outside a guard's file treats its state and config as opaque. */
// biome-ignore lint/suspicious/noExplicitAny: existential types: each guard alone knows its state and config
export type AnyGuard = Guard<any, any>;
export type GuardStates = Partial<Record<GuardId, unknown>>;
export type GuardLimits = Record<GuardId, unknown>;
