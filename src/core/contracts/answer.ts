import * as z from 'zod';
import { COMMAND_NAMES, InputRef } from './command.ts';
import { GuardId } from './guard.ts';

/** What an operator's response means for the job: a golden contract between desk and job. */
export const Answer = z.object({
  id: z.string(),
  /** Absent: steering without a question. */
  escalation: z.string().optional(),
  command: z.enum(COMMAND_NAMES),
  by: z.string(),
  /** What the agent is told. Empty: just go on. */
  instruction: z.string(),
  /** Values by reference; the job fetches them once and hands them to the agent. */
  inputs: z.record(z.string(), InputRef),
  /** Guards whose counters start again (G-6). */
  rearm: z.array(GuardId),
  /** End the frozen turn; the next one starts with the instruction (P-7). */
  ends_turn: z.boolean(),
  next_turn: z.enum(['normal', 'debug']),
  /** Counters at 0: the run goes to another agent (E-14). */
  agent_changed: z.boolean(),
});
export type Answer = z.infer<typeof Answer>;
