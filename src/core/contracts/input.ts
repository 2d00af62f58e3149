import * as z from 'zod';
import { ActionsSecret } from './actions-secret.ts';
import { SealedCommand, Via } from './command.ts';
import { Envelope } from './envelope.ts';
import { GuardLimitsSchema, ReminderPlan } from './run-event.ts';
import { Task } from './task.ts';
import { Verification } from './verification.ts';
import { WorkFacts } from './work-facts.ts';

/** Everything that can happen to a run, as the rules see it. Stored beside the events it led to, so that a journal can be re-decided. */
export const Input = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('request'),
    at: z.iso.datetime(),
    run: z.string(),
    task: Task,
    agent: z.string(),
    agents: z.array(z.string()),
    checks: z.array(z.string()).min(1),
    limits: GuardLimitsSchema,
    known_errors: z.array(z.string()),
    reminders: ReminderPlan,
    requested_by: z.string(),
    /** Complete only after a fresh job has run the checks on the result. */
    fresh_verification: z.boolean().optional(),
  }),
  z.object({
    type: z.literal('claim'),
    envelope: Envelope,
    /** With a claim that the work is complete: what the desk itself found in it. */
    work: WorkFacts.optional(),
  }),
  /** The job sent work that no commit can be made of; it was not taken. */
  z.object({ type: z.literal('changeset_refused'), at: z.iso.datetime(), problem: z.string() }),
  z.object({
    type: z.literal('command'),
    at: z.iso.datetime(),
    command: SealedCommand,
    by: z.string(),
    via: Via,
    /** The question it answers, when the way it came names one (a tick does). */
    escalation: z.string().optional(),
    source: z.string().optional(),
    /** The cause of a command that no person gave. */
    because: z.string().optional(),
    /** By the key of the input that is missing: the Actions secret it would be in, as looked up before deciding (P-9). */
    actions_secrets: z.record(z.string(), ActionsSecret).optional(),
  }),
  /** The fresh job's result. */
  z.object({
    type: z.literal('verification'),
    at: z.iso.datetime(),
    verification: Verification,
    /** Digest of the changeset it looked at. */
    changeset: z.string().optional(),
  }),
  /** The pull request was merged, or closed without. */
  z.object({
    type: z.literal('judged'),
    at: z.iso.datetime(),
    outcome: z.enum(['approved', 'rejected']),
    by: z.string(),
    /** Its number. Missing in journals of older versions. */
    pull: z.number().int().positive().optional(),
  }),
  z.object({
    type: z.literal('reopened'),
    at: z.iso.datetime(),
    by: z.string(),
    pull: z.number().int().positive(),
  }),
  z.object({ type: z.literal('timer'), at: z.iso.datetime(), timer: z.string() }),
  /** The job was found dead without having parked. */
  z.object({
    type: z.literal('job_lost'),
    at: z.iso.datetime(),
    reason: z.string(),
    /** The fresh job that was to verify. */
    verifying: z.boolean().optional(),
    /** Where its log is. */
    log_url: z.string().optional(),
    /** A person starts the next one: this one is not counted among those that are lost again and again. */
    resumed: z.literal(true).optional(),
  }),
]);
export type Input = z.infer<typeof Input>;

export type CommandInput = Extract<Input, { type: 'command' }>;
