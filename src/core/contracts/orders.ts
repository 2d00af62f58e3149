import * as z from 'zod';
import { Answer } from './answer.ts';
import { BlockedReport } from './blocked-report.ts';
import { InputRef } from './command.ts';
import { Predecessor } from './predecessor.ts';
import { GuardLimitsSchema, KnownIssue, RunStatus, TurnKind } from './run-event.ts';
import { Verification } from './verification.ts';

/** What the desk wants the job to do next: a projection of the run, so that asking twice gives the same answer. */
export const Orders = z.discriminatedUnion('do', [
  z.object({
    do: z.literal('work'),
    turn: z.number().int().positive(),
    kind: TurnKind,
    /** The turn was begun before and goes on: after a park, or when it was ended for an answer. */
    resumed: z.boolean(),
    agent: z.string(),
    predecessor: Predecessor.optional(),
    limits: GuardLimitsSchema,
    limits_rev: z.number().int().positive(),
    /** Patterns. */
    approved_paths: z.array(z.string()),
    /** Each by its name alone. Absent: none, or an older desk has them among the patterns. */
    approved_names: z.array(z.string()).optional(),
    answers: z.array(Answer),
    /** Every value given in this run so far. */
    inputs: z.record(z.string(), InputRef),
    /** The keys that were asked for as secrets. Absent: an older desk does not say. */
    secret_inputs: z.array(z.string()).optional(),
    guidance: z.array(z.string()),
    /** What the last verification said: the next turn's feedback. */
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
