import * as z from 'zod';
import { BlockedReport } from './blocked-report.ts';
import { COMMAND_NAMES, type CommandName } from './command.ts';

/** One short answer to a command: what was taken or why nothing was, and the right form. Never repeats a value. */
export const Reply = z.object({
  tone: z.enum(['taken', 'waiting', 'refused', 'info']),
  title: z.string(),
  detail: z.string().optional(),
  /** Where to look. */
  link: z.object({ text: z.string(), url: z.string() }).optional(),
  /** A line to copy. */
  suggestion: z.string().optional(),
  /** Shown as a table of what makes sense now. */
  commands: z.array(z.enum(COMMAND_NAMES)).optional(),
});
export type Reply = z.infer<typeof Reply>;

/** One line per command, from the command registry: whoever renders a reply is handed it. */
export type HelpRows = (names: readonly CommandName[]) => { usage: string; summary: string }[];

/** What the desk wants done in the world. Data, so that it can be stored with the events, retried, and done by any kind of desk. */
export const Effect = z.discriminatedUnion('type', [
  z.object({ type: z.literal('update_status') }),
  z.object({ type: z.literal('ask'), escalation: z.string() }),
  z.object({ type: z.literal('close_question'), escalation: z.string() }),
  z.object({ type: z.literal('show_review'), escalation: z.string().optional() }),
  z.object({ type: z.literal('reply'), reply: Reply, source: z.string().optional() }),
  z.object({
    type: z.literal('notify'),
    escalation: z.string(),
    priority: z.enum(['normal', 'high']),
    reminder: z.number().int().nonnegative(),
  }),
  z.object({ type: z.literal('set_timer'), timer: z.string(), at: z.iso.datetime() }),
  z.object({ type: z.literal('clear_timer'), timer: z.string() }),
  z.object({ type: z.literal('save_blocked_report'), report: BlockedReport }),
  z.object({ type: z.literal('dispatch_job') }),
  z.object({ type: z.literal('dispatch_verification') }),
  z.object({ type: z.literal('stop_job') }),
  /** Nobody waits for its result any more. */
  z.object({ type: z.literal('stop_verification') }),
  /** Bring the work to the branch and the pull request; `ready`: for review. */
  z.object({ type: z.literal('publish'), ready: z.boolean() }),
  z.object({ type: z.literal('show_receipt') }),
  /** The run is over: values that were given are deleted. */
  z.object({ type: z.literal('forget_inputs') }),
]);
export type Effect = z.infer<typeof Effect>;
