import * as z from 'zod';
import { COMMAND_NAMES, InputRef } from './command.ts';
import { GuardId } from './guard.ts';

/** An operator's response as the job needs it: a golden contract between desk and job. */
export const Answer = z.object({
  id: z.string(),
  /** Absent: the operator steered the run while no question was open. */
  escalation: z.string().optional(),
  command: z.enum(COMMAND_NAMES),
  by: z.string(),
  /** The agent is told this. Empty: it just continues. */
  instruction: z.string(),
  /** Values by reference: the job fetches each one once and passes it to the agent. */
  inputs: z.record(z.string(), InputRef),
  /** Guards whose counters restart at 0 (G-6). */
  rearm: z.array(GuardId),
  /** The frozen turn ends, and the next one starts with the instruction (P-7). */
  ends_turn: z.boolean(),
  next_turn: z.enum(['normal', 'debug']),
  /** Another agent takes over, so all counters restart at 0 (E-14). */
  agent_changed: z.boolean(),
});
export type Answer = z.infer<typeof Answer>;
