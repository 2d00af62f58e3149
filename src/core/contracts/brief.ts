import * as z from 'zod';
import { AgentMetrics } from './escalation.ts';
import { GuardId, PassRate } from './guard.ts';
import { ChangeSummary, GuardLimitsSchema, Usage } from './run-event.ts';
import { Task } from './task.ts';
import { Verification } from './verification.ts';

/** The facts a job needs to continue a run where the last job stopped. */
export const Brief = z.object({
  run: z.string(),
  /** The number of this job; its claims carry it as their fence. */
  job: z.number().int().positive(),
  task: Task,
  agent: z.string(),
  checks: z.array(z.string()),
  known_errors: z.array(z.string()),
  limits: GuardLimitsSchema,
  limits_rev: z.number().int().positive(),
  turn: z.number().int().nonnegative(),
  baseline: Verification.optional(),
  pass_rates: z.array(PassRate),
  guards: z.partialRecord(GuardId, z.unknown()),
  metrics: AgentMetrics,
  active_ms: z.number().nonnegative(),
  usage: Usage,
  changes: ChangeSummary,
  /** The round of changes to a ready pull request, if this is one. The work of earlier rounds is in the commit it builds on. */
  round: z.number().int().min(2).optional(),
  /** Changed lines at the end of the previous turn. Missing from desks of older versions. */
  lines: ChangeSummary.pick({ added: true, removed: true }).optional(),
});
export type Brief = z.infer<typeof Brief>;
