import * as z from 'zod';
import { BlockedReport, BlockerCategory } from './agent/blocked-report.ts';
import { HelpInput } from './agent/help-request.ts';
import { PartialProgress, ReportProblem } from './agent/player-report.ts';
import { InputRef, SealedCommand, Via } from './command.ts';
import {
  ActionRecord,
  EscalationType,
  GuardId,
  Hint,
  Occurrence,
  Option,
  PassRate,
  Trigger,
} from './guard.ts';

export const ESCALATION_STATUSES = [
  'pending',
  'resolved',
  'resolved_with_override',
  'resolved_with_termination',
  'resolved_with_approval',
  'agent_terminated',
] as const;
export const EscalationStatus = z.enum(ESCALATION_STATUSES);
export type EscalationStatus = z.infer<typeof EscalationStatus>;

/** Running counters by the names the objective-escalation specification gives them (E-18). */
export const AgentMetrics = z.object({
  consecutive_same_errors: z.number().int().nonnegative(),
  attempts_without_file_change: z.number().int().nonnegative(),
  test_runs_without_improvement: z.number().int().nonnegative(),
  files_modified_count: z.number().int().nonnegative(),
});
export type AgentMetrics = z.infer<typeof AgentMetrics>;

/** The run's figures at the stop, each beside its limit (G-5, E-9). */
export const EscalationContext = z.object({
  turn: z.number().int().nonnegative(),
  max_turns: z.number().int().positive().nullable(),
  active_ms: z.number().nonnegative(),
  max_runtime_ms: z.number().positive().nullable(),
  /** V-1: turns and time are limited by round. The desk's own; missing in the build and in journals of older versions. */
  of_round: z
    .object({
      number: z.number().int().positive(),
      turn: z.number().int().nonnegative(),
      max_turns: z.number().int().positive().nullable(),
      active_ms: z.number().nonnegative(),
    })
    .optional(),
  files: z.number().int().nonnegative(),
  max_files: z.number().int().positive().nullable(),
  cost_usd: z.number().nonnegative().nullable(),
  /** Without cached reads. This and the limit are missing in journals of older versions. */
  tokens: z.number().nonnegative().optional(),
  max_cost: z
    .object({ dollars: z.number().positive().optional(), tokens: z.number().positive().optional() })
    .optional(),
  baseline: PassRate.optional(),
  /** One per verification, oldest first, without the baseline. */
  pass_rates: z.array(PassRate),
  failing: z.array(z.string()),
  /** In the agent's words. */
  progress: PartialProgress.optional(),
  last_output: z
    .object({ at: z.iso.datetime(), command: z.string(), result: z.string(), tail: z.string() })
    .optional(),
  /** The last three, newest first. */
  errors: z.array(Occurrence),
  /** The last ten, oldest first. */
  recent_actions: z.array(ActionRecord),
  metrics: AgentMetrics,
});
export type EscalationContext = z.infer<typeof EscalationContext>;

export const Response = z.object({
  response_type: z.string(),
  /** The command with values by reference. */
  command: SealedCommand,
  /** The text given, or the command's canonical form; never a provided value. */
  content: z.string(),
  by: z.string(),
  via: Via,
  timestamp: z.iso.datetime(),
});
export type Response = z.infer<typeof Response>;

/** The one record for every stop that needs a human. */
export const Escalation = z.object({
  id: z.string(),
  type: EscalationType,
  status: EscalationStatus,
  priority: z.enum(['normal', 'high']),
  headline: z.string(),
  question: z.string(),
  /** Shown below the headline: what neither headline nor evidence says. Records of older versions have none. */
  why: z.string().optional(),
  /** The log to look at, for a question about jobs. */
  log_url: z.string().optional(),
  headers: z.array(z.string()),
  hint: Hint.optional(),
  /** Missing in journals of older versions. */
  category: BlockerCategory.optional(),
  triggers: z.array(Trigger).min(1),
  context: EscalationContext,
  what_i_tried: z.string().optional(),
  what_i_need: z.string().optional(),
  inputs: z.array(HelpInput),
  blocked_report: BlockedReport.optional(),
  /** Why there is no usable blocked report at the turn limit. */
  report_missing: z
    .object({
      kind: z.enum(['none', 'invalid', 'died']),
      problems: z.array(ReportProblem),
      raw: z.string().optional(),
      exit: z.string().optional(),
    })
    .optional(),
  /** Findings of a debugging turn that did not find the cause (G-8). */
  findings: z.string().optional(),
  options: z.array(Option),
  created_at: z.iso.datetime(),
  resolved_at: z.iso.datetime().optional(),
  responses: z.array(Response),
  resolution: z.object({ by: z.string(), inputs: z.record(z.string(), InputRef) }).optional(),
  /** The agent's first words after it read the answer (E-11). */
  acknowledged: z.object({ text: z.string(), at: z.iso.datetime() }).optional(),
  reminders: z.number().int().nonnegative(),
  /** The time of the newest reminder, which may be late. */
  reminded_at: z.iso.datetime().optional(),
  /** The escalation whose question this one repeats or follows. */
  follows: z.string().optional(),
  /** True: the agent is still alive, frozen. False: the turn had ended. */
  during_turn: z.boolean(),
  rearm: z.array(GuardId),
  /** Digest of the finished work that the question is about. An answer holds for this work only. */
  work: z.string().optional(),
  /** V-3: remarks of reviewers about the files that wait for approval. */
  remarks: z.array(z.object({ path: z.string(), author: z.string(), url: z.string().optional() })).optional(),
});
export type Escalation = z.infer<typeof Escalation>;

/** The names in the journal of what stops jobs. They are no guards of a turn. */
const ABOUT_JOBS: ReadonlySet<string> = new Set([
  'lost_jobs',
  'idle_jobs',
  'refused_job',
  'ticket_used_twice',
]);

/** the desk asks because no job works. The agent has asked nothing, and none is there. */
export function isAboutJobs({ triggers }: Pick<Escalation, 'triggers'>): boolean {
  return triggers.some(({ guard }) => ABOUT_JOBS.has(guard));
}

export function missingInputs(escalation: Escalation, given: Record<string, InputRef>): HelpInput[] {
  return escalation.inputs.filter((input) => !(input.key in given));
}
