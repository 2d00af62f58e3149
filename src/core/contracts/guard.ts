import * as z from 'zod';
import type { BlockerCategory } from './blocked-report.ts';
import { HelpRequest } from './help-request.ts';
import { type PlayerReport, type ReadReport, ReportProblem } from './player-report.ts';
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

/** One sighting of an error in its run: what, where, when, and what was done about it before the next one (E-1). */
export const Occurrence = z.object({
  turn: z.number().int().nonnegative(),
  at: z.iso.datetime(),
  operation: z.string(),
  error: ErrorSighting,
  remediation: z.array(z.string()),
});
export type Occurrence = z.infer<typeof Occurrence>;

/** One thing the player did, as the history shows it. */
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

/** A write that the limits do not allow: held before it happened, put back and set aside, or found in the finished work. */
export const ProposedWrite = z.object({
  path: z.string(),
  why: z.enum(['file_limit', 'out_of_scope', 'gate_bypassed', 'protected', 'workflow']),
  held: z.boolean(),
  /** It is part of work that is finished otherwise, and is not committed before a person approves. */
  finished: z.boolean().optional(),
  diff: z.string().optional(),
});
export type ProposedWrite = z.infer<typeof ProposedWrite>;

export const ExaminedFile = z.object({
  path: z.string(),
  digest: z.string(),
  /** A person approved another content of it. */
  approved_before: z.boolean().optional(),
});
export type ExaminedFile = z.infer<typeof ExaminedFile>;

/** What was measured. Each guard fills what it has; the renderer shows what is there. */
export const Evidence = z.object({
  occurrences: z.array(Occurrence).optional(),
  attempts: z.array(ActionRecord).optional(),
  pass_rates: z.array(PassRate).optional(),
  signature: z.string().optional(),
  turns: z.array(z.number().int()).optional(),
  files: z.array(z.string()).optional(),
  scope: z.array(z.string()).optional(),
  proposed: z.array(ProposedWrite).optional(),
  /** Those of them that are approved as they stand: by the desk alone, a job has no say in what they hold. */
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
  unit: z.string().optional(),
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

/** A limit of the whole run. Beside its own question it bounds what a turn may do, and it is shown wherever the run is. */
export const RunLimit = z.enum(['turns', 'minutes', 'files', 'cost', 'scope']);
export type RunLimit = z.infer<typeof RunLimit>;

/** What tripped: objective figures only, never a score of confidence (E-15). */
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

/** The run's limits as plain values. Only the guards can read them from `GuardLimits`. */
export interface LimitsInForce {
  turns: number | null;
  minutes: number | null;
  files: number | null;
  /** Whether spending is limited at all. */
  cost: boolean;
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

/** Everything that is measured, in the order it happened: the agent's doings, the verification's, the operator's, the clock's. */
export type GuardEvent =
  /** `counted: false` for a debugging turn: repeating the failure without changing a file is what it is for. */
  | { type: 'turn_started'; turn: number; counted?: boolean }
  | {
      type: 'action_ended';
      at: string;
      turn: number;
      kind: 'edit' | 'command' | 'read' | 'search' | 'other';
      title: string;
      /** What has to pass again for this failure to count as overcome: the command, or the tool and its path. */
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
  /** The state before turn 1: a reference point, never an occurrence or an attempt. */
  | { type: 'baseline'; at: string; verification: Verification }
  | { type: 'usage'; turn: number; input_tokens: number; output_tokens: number; cost_usd: number }
  | { type: 'clock'; active_ms: number }
  | { type: 'help_requested'; turn: number; help?: HelpRequest; raw?: string; problem?: string }
  | { type: 'report_received'; at: string; turn: number; read: ReadReport & { report: PlayerReport } }
  /** `counted: false` for a debugging turn. */
  | { type: 'turn_ended'; at: string; turn: number; counted: boolean; title: string }
  /** An operator's answer re-arms every guard it lists (G-6). */
  | { type: 'rearmed'; guards: GuardId[] }
  /** The run was given to another agent: counters at 0, history kept elsewhere (E-14). */
  | { type: 'agent_changed' };

/** How a person can help in own words: a line, and the command to reply with. */
export const Hint = z.object({
  text: z.string(),
  command: z.string().startsWith('/'),
  /** It comes before the boxes, because it helps more than any of them. */
  first: z.boolean(),
});
export type Hint = z.infer<typeof Hint>;

/** Where the run stands when a guard trips, for its words. */
export interface Standing {
  turn: number;
  max_turns: number;
  score?: { unit: 'tests' | 'checks'; passed: number; total: number };
}

/** Finished work that may not be committed before a person approves. */
export interface UnapprovedWork {
  /** The number of changed files, approved ones not counted. */
  files: number;
  scope?: string[];
  proposed: ProposedWrite[];
  examined: ExaminedFile[];
}

/**
 * One objective rule: measured state in, trigger or nothing out. Pure: state is plain JSON, so that a checkpoint or a journal
 * gives the same answer again.
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
  /** Where what tripped has a header of its own. */
  headerOf?(trigger: Trigger): string;
  /** The name of its counter where several figures are listed. */
  readonly counter: string;
  /** The counter's name where it depends on what tripped. */
  counterOf?(trigger: Trigger): string;
  /** The observed value beside the threshold. Absent: `3/3`. */
  figure?(trigger: Trigger): string;
  /** Absent: a person may answer in own words, and the question says no more about it. */
  readonly hint?: Hint;
  /** What kind of issue it is in a report that Autobuild writes in the agent's place (B-7). */
  readonly category: BlockerCategory;
  readonly type: EscalationType;
  readonly kind: TriggerKind;
  /** The run's limit that this guard enforces. At most one guard has each. */
  readonly runLimit?: RunLimit;
  /** Value under `guards.<id>`; parses `undefined` to the default. `off` switches any guard off. */
  readonly config: z.ZodType<Config | 'off'>;
  /** What the config error lists as allowed. */
  readonly allowed: string;
  readonly initial: State;
  /** How its state reads in a claim and after a park: anybody may have written it. What a later version adds has a default. */
  readonly state: z.ZodType<State>;
  reduce(state: State, event: GuardEvent): State;
  check(state: State, config: Config): Trigger | undefined;
  /** What trips also when the guard is off: no limit allows it. */
  checkOff?(state: State): Trigger | undefined;
  /** The trigger for finished work of which a part needs approval. Also asked when the guard is off. */
  examine?(work: UnapprovedWork, config: Config | 'off'): Trigger | undefined;
  /** The answer's effect on the limit: `/continue +5` and friends. Absent: re-arming resets the counter. */
  grow?(config: Config, by: { turns?: number; minutes?: number; files?: number }, observed: number): Config;
  headline(trigger: Trigger, standing: Standing): string;
  question(trigger: Trigger, standing: Standing): string;
  options(trigger: Trigger, standing: Standing): Option[];
}

/** Seen from outside, the state and config of a guard are its own business. */
// biome-ignore lint/suspicious/noExplicitAny: existential types: each guard alone knows its state and config
export type AnyGuard = Guard<any, any>;
export type GuardStates = Partial<Record<GuardId, unknown>>;
export type GuardLimits = Record<GuardId, unknown>;
