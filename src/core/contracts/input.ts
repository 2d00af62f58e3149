import * as z from 'zod';
import { ActionsSecret } from './actions-secret.ts';
import { SealedCommand, Via } from './command.ts';
import { Effect, Reply } from './effect.ts';
import { Envelope } from './envelope.ts';
import { CiReport, Revision, RevisionSource } from './revision.ts';
import { GuardLimitsSchema, ReminderPlan } from './run-event.ts';
import { Task } from './task.ts';
import { BaseVerification, Verification } from './verification.ts';
import { WorkFacts } from './work-facts.ts';

/** P-9: a secret that was written where everybody can read it. */
export const ExposedSecret = z.object({
  /** The key it was given for; absent if it is somewhere in the text. */
  key: z.string().optional(),
  /** The name of the secret in the reply. */
  label: z.string(),
});
export type ExposedSecret = z.infer<typeof ExposedSecret>;

/** Everything that can happen to a run. An input is stored with the events it led to, so that a journal can be decided again. */
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
    /** The run is complete only after a fresh job has run the checks on the result. */
    fresh_verification: z.boolean().optional(),
    /** Told to people as the run begins. */
    reply: Reply.optional(),
  }),
  z.object({
    type: z.literal('claim'),
    envelope: Envelope,
    /** The desk's own findings about work that is claimed to be complete. */
    work: WorkFacts.optional(),
  }),
  /** The job sent work that cannot be committed, so it was not accepted. */
  z.object({ type: z.literal('changeset_refused'), at: z.iso.datetime(), problem: z.string() }),
  z.object({
    type: z.literal('command'),
    at: z.iso.datetime(),
    command: SealedCommand,
    by: z.string(),
    via: Via,
    /** When the person said it, by GitHub's clock. Absent: GitHub does not know of it. */
    said_at: z.iso.datetime().optional(),
    /** The question that the command answers, if its channel names one. A tick does. */
    escalation: z.string().optional(),
    source: z.string().optional(),
    /** The cause of a command that no person gave. */
    because: z.string().optional(),
    /** The Actions secret for each missing input, by the input's key. Looked up before the decision, which is pure (P-9). */
    actions_secrets: z.record(z.string(), ActionsSecret).optional(),
    /** P-9: secrets that the source showed to everybody. It was deleted if it was a comment. */
    exposed: z.array(ExposedSecret).optional(),
    /** The pull request on which the command was given, if it was not given on the issue. */
    on: z.number().int().positive().optional(),
  }),
  /** Something is to be written that changes nothing in the run: an answer to a person, or a comment that must be written again. */
  z.object({ type: z.literal('write'), at: z.iso.datetime(), effects: z.array(Effect) }),
  /** The result of the fresh job. */
  z.object({
    type: z.literal('verification'),
    at: z.iso.datetime(),
    verification: Verification,
    /** Digest of the changeset that was verified. */
    changeset: z.string().optional(),
    /** Absent: the work changes no file that the checks depend on, or the job is of an older version. */
    with_base: BaseVerification.optional(),
  }),
  /** The pull request was merged, or closed unmerged. */
  z.object({
    type: z.literal('judged'),
    at: z.iso.datetime(),
    outcome: z.enum(['approved', 'rejected']),
    by: z.string(),
    /** The number of the pull request. Missing in journals of older versions. */
    pull: z.number().int().positive().optional(),
    /** GitHub had refused finished work of the run before. */
    refused: z.boolean().optional(),
  }),
  z.object({
    type: z.literal('reopened'),
    at: z.iso.datetime(),
    by: z.string(),
    pull: z.number().int().positive(),
  }),
  /** A review, a box or failing CI asks for a round. A command asks for one by its own rule. */
  z.object({
    type: z.literal('revision_asked'),
    at: z.iso.datetime(),
    by: z.string(),
    said_at: z.iso.datetime().optional(),
    source: RevisionSource,
    url: z.string().optional(),
    instruction: z.string().optional(),
    /** When the round may begin: later than now if more of the same is expected. */
    begins_at: z.iso.datetime().optional(),
    /** The review that asks, to react to. */
    review: z.object({ node_id: z.string() }).optional(),
  }),
  /** The remarks and failures that the asked round is about, as they were found on GitHub or at the terminal. */
  z.object({
    type: z.literal('revise'),
    at: z.iso.datetime(),
    revision: Revision.omit({ number: true, by: true, source: true, url: true, instruction: true }),
    /** The limits with which the run began. Each round has them again. */
    limits: GuardLimitsSchema,
    /** The most rounds by the config, the build not counted. */
    max: z.number().int().positive(),
    /** Those who asked for it and have lost the role since. */
    unheard: z.array(z.string()).optional(),
  }),
  /** A round cannot begin: the pull request is closed, queued to merge, or has a head that nobody can build on. */
  z.object({
    type: z.literal('revision_refused'),
    at: z.iso.datetime(),
    reason: z.string(),
    /** How people get what they asked for all the same. */
    detail: z.string().optional(),
  }),
  /** Somebody pushed to the branch before the work of the round was on it, and the work fits on that head, too (V-5). */
  z.object({
    type: z.literal('head_moved'),
    at: z.iso.datetime(),
    round: z.number().int().min(2),
    head: z.string(),
    /** The digest of the work on that head. */
    changeset: z.string(),
    /** That head has the same files as the one before. */
    verified: z.literal(true).optional(),
  }),
  /** All of the repository's CI is over on the head of the pull request, or cannot run there (V-7). */
  z.object({
    type: z.literal('ci_finished'),
    at: z.iso.datetime(),
    report: CiReport,
    /** The config's answer to a failure. */
    on_failure: z.enum(['ask', 'start']),
  }),
  z.object({ type: z.literal('timer'), at: z.iso.datetime(), timer: z.string() }),
  /** The job was found dead without having parked. */
  z.object({
    type: z.literal('job_lost'),
    at: z.iso.datetime(),
    reason: z.string(),
    /** The lost job was the fresh one that verifies the result. */
    verifying: z.boolean().optional(),
    log_url: z.string().optional(),
    /** A person starts the next job, so this loss does not count towards the limit of losses in a row. */
    resumed: z.literal(true).optional(),
  }),
  /** The workflow run of a dispatch is over, or there is none although the run needs one. */
  z.object({
    type: z.literal('job_ended'),
    at: z.iso.datetime(),
    job: z.number().int().nonnegative(),
    kind: z.enum(['build', 'verify']),
    verification: z.string().optional(),
    outcome: z.string(),
    /** A person cancelled it in Actions. */
    cancelled: z.literal(true).optional(),
    log_url: z.string().optional(),
  }),
  /** The ticket of a job was presented by two who are not the same, so neither is heard any more. */
  z.object({
    type: z.literal('ticket_claimed_twice'),
    at: z.iso.datetime(),
    job: z.number().int().nonnegative(),
    kind: z.enum(['build', 'verify']),
    verification: z.string().optional(),
    /** The workflow run for which it was presented first. Missing in journals of older versions. */
    actions_run: z.number().int().positive().optional(),
    /** Missing in journals of older versions. */
    log_url: z.string().optional(),
  }),
  /** GitHub refused the dispatch for good. */
  z.object({
    type: z.literal('dispatch_refused'),
    at: z.iso.datetime(),
    job: z.number().int().nonnegative(),
    kind: z.enum(['build', 'verify']),
    verification: z.string().optional(),
    /** Absent if people were told before. */
    reply: Reply.optional(),
  }),
  /** The repository has spent what its config allows in a month. */
  z.object({
    type: z.literal('budget_reached'),
    at: z.iso.datetime(),
    /** `2026-11` */
    month: z.string(),
    dollars: z.number().nonnegative(),
    most: z.number().positive(),
  }),
]);
export type Input = z.infer<typeof Input>;

export type CommandInput = Extract<Input, { type: 'command' }>;
