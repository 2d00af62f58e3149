import * as z from 'zod';
import { BlockedReport } from './agent/blocked-report.ts';
import { COMMAND_NAMES, type CommandName } from './command.ts';

/** One short answer to a command: its result, or the reason for a refusal and the right form. Never repeats a value. */
export const Reply = z.object({
  tone: z.enum(['taken', 'waiting', 'refused', 'info']),
  title: z.string(),
  detail: z.string().optional(),
  link: z.object({ text: z.string(), url: z.string() }).optional(),
  /** A line that can be pasted. */
  suggestion: z.string().optional(),
  /** Shown as a table of the commands that make sense now. */
  commands: z.array(z.enum(COMMAND_NAMES)).optional(),
});
export type Reply = z.infer<typeof Reply>;

/** One line per command. Renderers get this function passed in, because they do not import the command registry. */
export type HelpRows = (names: readonly CommandName[]) => { usage: string; summary: string }[];

/** A side effect that the desk wants. It is data, so that it can be stored with the events, retried, and performed by any desk. */
export const Effect = z.discriminatedUnion('type', [
  z.object({ type: z.literal('update_status') }),
  z.object({ type: z.literal('ask'), escalation: z.string() }),
  z.object({ type: z.literal('close_question'), escalation: z.string() }),
  z.object({
    type: z.literal('show_review'),
    escalation: z.string().optional(),
    /** The operation whose comment is written again. */
    op: z.string().optional(),
  }),
  z.object({
    type: z.literal('reply'),
    reply: Reply,
    source: z.string().optional(),
    /** The number of the pull request to reply on; the issue's if absent. */
    on: z.number().int().positive().optional(),
    /** The workflow run whose log is linked. */
    log: z.number().int().positive().optional(),
    /** The operation whose comment is written again. */
    op: z.string().optional(),
  }),
  /** Shows the author of a command that it was seen, or its outcome. The source is `comment:<id>` or `review:<node id>`. */
  z.object({
    type: z.literal('react'),
    source: z.string(),
    reaction: z.enum(['eyes', 'rocket', 'confused']),
  }),
  /** P-9: a comment that contains a secret. */
  z.object({ type: z.literal('delete_comment'), comment: z.number().int().positive() }),
  z.object({
    type: z.literal('notify'),
    escalation: z.string(),
    priority: z.enum(['normal', 'high']),
    reminder: z.number().int().nonnegative(),
    /** Only its comment is written again. */
    again: z.literal(true).optional(),
  }),
  z.object({ type: z.literal('set_timer'), timer: z.string(), at: z.iso.datetime() }),
  z.object({ type: z.literal('clear_timer'), timer: z.string() }),
  z.object({ type: z.literal('save_blocked_report'), report: BlockedReport }),
  z.object({
    type: z.literal('dispatch_job'),
    /** The number of the job to start. Missing in journals of older versions. */
    job: z.number().int().positive().optional(),
  }),
  z.object({
    type: z.literal('dispatch_verification'),
    /** The job whose work is checked, and the verification. Missing in journals of older versions. */
    job: z.number().int().nonnegative().optional(),
    verification: z.string().optional(),
  }),
  z.object({ type: z.literal('stop_job') }),
  /** The result of the fresh job is no longer needed. */
  z.object({ type: z.literal('stop_verification') }),
  /** Pushes the work to the branch and the pull request. `ready`: the pull request is ready for review. */
  z.object({ type: z.literal('publish'), ready: z.boolean() }),
  z.object({ type: z.literal('show_receipt') }),
  /** Looks up what the asked round is about, and begins it. */
  z.object({ type: z.literal('collect_revision') }),
  /** Answers the remarks of a round that is over, as one review (V-4). */
  z.object({
    type: z.literal('answer_remarks'),
    round: z.number().int().min(2),
    /** Only the comment that sums it up is written again. */
    again: z.literal(true).optional(),
  }),
  /** Writes the pull request's description again. */
  z.object({
    type: z.literal('describe_pull'),
    /** Boxes whose tick was handled, so that they are drawn empty again. */
    ticked: z.array(z.string()).optional(),
  }),
  /** Writes the comment about CI on one head (V-7). */
  z.object({ type: z.literal('show_ci'), number: z.number().int().positive() }),
  /** Runs CI on the head a person saw, and describes the pull request again. Without a person, it only describes. */
  z.object({
    type: z.literal('run_ci'),
    head: z.string(),
    pull: z.number().int().positive(),
    by: z.string().optional(),
  }),
  /** The pull request was merged or closed: what came too late for it is put aside, and people are told if CI skips the merge. */
  z.object({
    type: z.literal('settle_pull'),
    pull: z.number().int().positive(),
    /** GitHub had refused finished work before. Later work is put aside by its own publish. */
    refused: z.boolean().optional(),
  }),
  /** Deletes the values that were given, because the run is over. */
  z.object({ type: z.literal('forget_inputs') }),
]);
export type Effect = z.infer<typeof Effect>;

/** Tells on an issue without a run why none was started, and removes the label so that setting it again is a new try. */
export interface NotStartedNotice {
  type: 'notice';
  installation_id: number;
  owner: string;
  repo: string;
  issue: number;
  headline: string;
  problems: { line?: number; key: string; found?: string; allowed: string }[];
  next: string;
  mention: string;
  /** The label that it is about. Missing in notices of older versions, and for a pull request. */
  set?: { repo_id: number; event?: number; at: string };
}

/** An effect that a performer carries out. Timers are kept by the store. */
export type Outgoing = Exclude<Effect, { type: 'set_timer' | 'clear_timer' }> | NotStartedNotice;
