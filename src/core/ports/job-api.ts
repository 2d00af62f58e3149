import * as z from 'zod';
import { Brief } from '../contracts/brief.ts';
import { type Envelope, PROTOCOL } from '../contracts/envelope.ts';
import { Orders } from '../contracts/orders.ts';
import { RunStatus } from '../contracts/run-event.ts';
import { isUnderWay, type RunState, verificationName } from '../contracts/run-state.ts';
import { BaseVerification, Verification } from '../contracts/verification.ts';
import { RunTarget } from './run-target.ts';

/** The messages between job and desk over HTTP, below `/api/jobs`. Both ends parse with these schemas. */
export const JOB_API_PATH = '/api/jobs';

export const JobKind = z.enum(['build', 'verify']);
export type JobKind = z.infer<typeof JobKind>;

/**
 * `POST /claim`. The action claims in its `pre` step, before any other step could present the ticket, and again in its `main` step,
 * which alone gets a token. An action without a `pre` step claims once.
 */
export const ClaimRequest = z.object({
  ticket: z.string().min(16).max(512),
  actions_run_id: z.number().int().positive(),
  attempt: z.number().int().positive().max(10_000),
  /** A random value that only this job knows. With it, a claim whose response was lost can be repeated. */
  nonce: z.string().min(16).max(128).optional(),
  /** The claim reserves the job for this nonce and gets no token. */
  step: z.literal('pre').optional(),
  /** A second random value, of the main step alone. Knowing the first one is not enough to get the token of the job. */
  begin: z.string().min(16).max(128).optional(),
});
export type ClaimRequest = z.infer<typeof ClaimRequest>;

export const JobTarget = RunTarget.pick({
  owner: true,
  repo: true,
  issue: true,
  head_sha: true,
  default_branch: true,
}).extend({
  /** The commit that the run began with, for the jobs of a later round. Absent: it is `head_sha`. */
  base_sha: z.string().optional(),
});
export type JobTarget = z.infer<typeof JobTarget>;

/** The run's orders, and the version of the run they were made from. */
export const OrdersResponse = z.object({ orders: Orders, version: z.number().int().nonnegative() });
export type OrdersResponse = z.infer<typeof OrdersResponse>;

export const ClaimResponse = OrdersResponse.extend({
  token: z.string(),
  kind: JobKind,
  brief: Brief,
  place: JobTarget,
  protocol: z.number().int(),
});
export type ClaimResponse = z.infer<typeof ClaimResponse>;

/** The response to a claim in the `pre` step. */
export const EarlyClaimResponse = ClaimResponse.pick({ kind: true, protocol: true });
export type EarlyClaimResponse = z.infer<typeof EarlyClaimResponse>;

/** The body of a 401 response: why the ticket or token is refused. */
export const Refusal = z.object({ error: z.string() });

/** The body of a 410 response: the run ended before the job began. */
export const RunOver = z.object({ error: z.string(), status: RunStatus });
export type RunOver = z.infer<typeof RunOver>;

/** `GET /orders` is a long poll. It responds when the run's version differs from the given one, or after this many seconds. */
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
  /** SHA-256 of the verified changeset in hex; null if nothing was changed. The desk publishes only this changeset. */
  changeset: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  /** Jobs of older versions send none. */
  with_base: BaseVerification.optional(),
});
export type VerificationRequest = z.infer<typeof VerificationRequest>;

/** `PUT` and `GET /blobs/:name` */
export const BlobName = z.enum(['changeset', 'checkpoint']);
export type BlobName = z.infer<typeof BlobName>;

export const MAX_REPORT_BYTES = 4 * 1024 * 1024;
export const MAX_BLOB_BYTES = 100 * 1024 * 1024;

const PREVIOUS_PROTOCOL = PROTOCOL - 1;

/** Accepts the current and the previous protocol, because users pin the job's version. Undefined for any other. */
export function acceptEnvelope(envelope: Envelope): Envelope | undefined {
  if (envelope.protocol === PROTOCOL) return envelope;
  return envelope.protocol === PREVIOUS_PROTOCOL ? { ...envelope, protocol: PROTOCOL } : undefined;
}

/** a job that parked, handed over or was lost is not heard any more. A job of a finished run may still ask, to learn that it finished. */
export function isOver(job: number, state: RunState): boolean {
  return job < state.jobs || (job === state.jobs && !state.job_live && isUnderWay(state));
}

/** After a verification is settled, any report for the same turn is accepted, because a repeated report changes nothing. */
export function isOfVerification(name: string | undefined, state: RunState): boolean {
  if (state.verifying !== undefined) return name === verificationName(state);
  return name?.split('.')[0] === String(state.turns.length);
}
