import * as z from 'zod';
import { Brief } from '../contracts/brief.ts';
import { type Envelope, PROTOCOL } from '../contracts/envelope.ts';
import { Orders } from '../contracts/orders.ts';
import { RunStatus } from '../contracts/run-event.ts';
import { isFinished, type RunState } from '../contracts/run-state.ts';
import { Verification } from '../contracts/verification.ts';
import { Place } from './hosted-ports.ts';

/** What job and desk say to each other over HTTP, below `/api/jobs`. Both ends read with these schemas. */
export const JOB_API_PATH = '/api/jobs';

export const JobKind = z.enum(['build', 'verify']);
export type JobKind = z.infer<typeof JobKind>;

/** `POST /claim` */
export const ClaimRequest = z.object({
  ticket: z.string().min(16).max(512),
  actions_run_id: z.number().int().positive(),
  attempt: z.number().int().positive().max(10_000),
  /** Made by the job and told to nobody else: a claim whose answer was lost can be repeated with it. */
  nonce: z.string().min(16).max(128).optional(),
});
export type ClaimRequest = z.infer<typeof ClaimRequest>;

export const JobPlace = Place.pick({
  owner: true,
  repo: true,
  issue: true,
  head_sha: true,
  default_branch: true,
});
export type JobPlace = z.infer<typeof JobPlace>;

/** The run's orders, and the version of the run they were made from. */
export const OrdersResponse = z.object({ orders: Orders, version: z.number().int().nonnegative() });
export type OrdersResponse = z.infer<typeof OrdersResponse>;

export const ClaimResponse = OrdersResponse.extend({
  token: z.string(),
  kind: JobKind,
  brief: Brief,
  place: JobPlace,
  protocol: z.number().int(),
});
export type ClaimResponse = z.infer<typeof ClaimResponse>;

/** With 401: why the ticket or token opens nothing. */
export const Refusal = z.object({ error: z.string() });

/** With 410: the run ended before the job began. */
export const RunOver = z.object({ error: z.string(), status: RunStatus });
export type RunOver = z.infer<typeof RunOver>;

/** `GET /orders`: answers when the run's version is another one, or after this many seconds. */
export const MAX_WAIT_SECONDS = 30;
export const OrdersQuery = z.object({
  version: z.coerce.number().int().nonnegative().optional(),
  wait: z.coerce.number().nonnegative().default(0),
});

/** `POST /heartbeat` */
export const HEARTBEAT_MS = 30_000;
export const HeartbeatResponse = z.object({ do: z.enum(['work', 'wait', 'park', 'stop']) });

/** `POST /inputs` */
export const InputsRequest = z.object({ refs: z.array(z.string().min(1).max(200)).max(200) });
export const InputsResponse = z.object({ values: z.record(z.string(), z.string()) });

/** `POST /verification` */
export const VerificationRequest = z.object({
  verification: Verification,
  /** SHA-256 of the changeset that was verified, in hex; null where nothing was changed. The desk publishes this one or none. */
  changeset: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
});

/** `PUT` and `GET /blobs/:name` */
export const BlobName = z.enum(['changeset', 'checkpoint']);
export type BlobName = z.infer<typeof BlobName>;

export const MAX_REPORT_BYTES = 4 * 1024 * 1024;
export const MAX_BLOB_BYTES = 100 * 1024 * 1024;

const PREVIOUS_PROTOCOL = PROTOCOL - 1;

/** Users pin the job's version: one protocol back is read as if it were today's. Undefined: neither. */
export function acceptEnvelope(envelope: Envelope): Envelope | undefined {
  if (envelope.protocol === PROTOCOL) return envelope;
  return envelope.protocol === PREVIOUS_PROTOCOL ? { ...envelope, protocol: PROTOCOL } : undefined;
}

/** a job that parked, handed over or was lost speaks no more. Of a run that ended it may still learn that. */
export function isOver(job: number, state: RunState): boolean {
  return job < state.jobs || (job === state.jobs && !state.job_live && !isFinished(state));
}

/** Where a job's last sign of life stands among the marks. */
export function aliveMark(run: string, job: number): string {
  return `alive:${run}:${job}`;
}

/** Where the run of an Actions run stands among the marks. */
export function actionsRunMark(actionsRun: number): string {
  return `run-of-actions-run:${actionsRun}`;
}

/** Where the newest claim of a job stands among the marks, by the hash of its token: an older attempt's token is void. */
export function claimMark(run: string, job: number, kind: JobKind): string {
  return `claim:${run}:${job}:${kind}`;
}

/** Where the Actions run that was started with a ticket stands among the marks, by the ticket's hash. GitHub does not always tell. */
export function dispatchedMark(ticketHash: string): string {
  return `actions-run-of-ticket:${ticketHash}`;
}

/** Where the verification that a ticket or a token is for stands among the marks, by its hash. */
export function verificationMark(hash: string): string {
  return `verification-of:${hash}`;
}

/** One verification among all of a run: it follows a turn, and is tried anew when its job is lost. */
export function verificationName(state: RunState): string {
  return `${state.turns.length}.${state.verifying ?? 0}`;
}

/** Once it is settled its job may still say so again: that changes nothing. */
export function isOfVerification(name: string | undefined, state: RunState): boolean {
  if (state.verifying !== undefined) return name === verificationName(state);
  return name?.split('.')[0] === String(state.turns.length);
}
