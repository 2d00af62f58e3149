import * as z from 'zod';
import { BlockedReport } from './agent/blocked-report.ts';
import { Answer } from './answer.ts';
import { InputRef } from './command.ts';
import { EarlierTurn } from './earlier-turn.ts';
import { Predecessor } from './predecessor.ts';
import { Revision } from './revision.ts';
import { ApprovedFile, GuardLimitsSchema, KnownIssue, RunStatus, TurnKind } from './run-event.ts';
import { Verification } from './verification.ts';

/** The desk's next instruction to the job. It is a projection of the run, so asking is idempotent. */
export const Orders = z.discriminatedUnion('do', [
  z.object({
    do: z.literal('work'),
    turn: z.number().int().positive(),
    kind: TurnKind,
    /** The turn was started before and is continued, after a park or after it was ended for an answer. */
    resumed: z.boolean(),
    agent: z.string(),
    predecessor: Predecessor.optional(),
    /** The turns so far. Missing from desks of older versions. */
    earlier: z.array(EarlierTurn).optional(),
    limits: GuardLimitsSchema,
    limits_rev: z.number().int().positive(),
    /** Glob patterns. */
    approved_paths: z.array(z.string()),
    /** Literal file names. Absent: there are none, or an older desk sends them among the patterns. */
    approved_names: z.array(z.string()).optional(),
    /** Files with exactly this content. Missing from desks of older versions. */
    approved_files: z.array(ApprovedFile).optional(),
    /** Literal directories. Missing from desks of older versions. */
    approved_folders: z.array(z.string()).optional(),
    answers: z.array(Answer),
    /** The round of changes to a pull request that was ready, if this is one. */
    revision: Revision.optional(),
    /** All values that were given in this run so far. */
    inputs: z.record(z.string(), InputRef),
    /** The keys of inputs that were asked for as secrets. Missing from desks of older versions. */
    secret_inputs: z.array(z.string()).optional(),
    guidance: z.array(z.string()),
    /** The last verification, as feedback for the next turn. */
    feedback: Verification.optional(),
    known_issues: z.array(KnownIssue),
    blocked_report: BlockedReport.optional(),
    handoff_path: z.string().optional(),
  }),
  z.object({ do: z.literal('wait'), escalation: z.string() }),
  /** The run waits for `/continue`: save the work and end the job. */
  z.object({ do: z.literal('park') }),
  z.object({ do: z.literal('stop'), status: RunStatus }),
]);
export type Orders = z.infer<typeof Orders>;
