import { createHash } from 'node:crypto';
import { isFinal } from '../core/contracts/envelope.ts';
import type { Orders } from '../core/contracts/orders.ts';
import { parseJson } from '../core/parse-json.ts';
import {
  ClaimResponse,
  HEARTBEAT_MS,
  HeartbeatResponse,
  InputsResponse,
  OrdersResponse,
  Refusal,
} from '../core/ports/job-api.ts';
import type { JobLink, VerifyLink } from '../core/ports/job-link.ts';
import { newNonce } from './new-nonce.ts';
import { jobApiOf, postClaim } from './post-claim.ts';
import {
  LinkRefusedError,
  type LinkRequest,
  type RetrySettings,
  requestWithRetries,
  retryOptions,
} from './retry-request.ts';

const POLL_SECONDS = 25;
const REQUEST_MS = 30_000;
const POLL_MS = (POLL_SECONDS + 15) * 1000;
const BLOB_MS = 300_000;
const LAST_LOOK_MS = 5_000;
const UNAUTHORIZED = 401;
const CONFLICT = 409;

export interface HttpLinkOptions extends RetrySettings {
  baseUrl: string;
  ticket: string;
  actionsRun: number;
  attempt: number;
  /** The nonce of the claim in the `pre` step, if there was one. */
  nonce?: string;
}

/** Messages survive a desk that is unavailable for minutes. `close` stops heartbeat and polling. */
export type HttpLink = JobLink & VerifyLink;

/** The desk does not accept this job any more, because it was given up as lost or another job replaced it. */
export class JobOverError extends LinkRefusedError {
  override name = 'JobOverError';
}

/** Claims the run for this job and returns its link. */
export async function createHttpLink(options: HttpLinkOptions): Promise<HttpLink> {
  const closed = new AbortController();
  const retrying = retryOptions(options);
  const base = jobApiOf(options.baseUrl);
  const answer = await postClaim(retrying, options.baseUrl, {
    ticket: options.ticket,
    actions_run_id: options.actionsRun,
    attempt: options.attempt,
    nonce: options.nonce ?? newNonce(),
    begin: newNonce(),
  });
  const { token, ...claimed } = ClaimResponse.parse(answer);
  const ask = (path: string, request: Omit<LinkRequest, 'url' | 'token'>) =>
    requestWithRetries(retrying, { ...request, url: `${base}${path}`, token }).catch((error: unknown) => {
      throw asJobOver(error) ?? error;
    });

  let latest: OrdersResponse = { orders: claimed.orders, version: claimed.version };
  let refused: LinkRefusedError | undefined;
  /** Aborted after the job's final claim, because the desk has no more orders for it. */
  const leaving = new AbortController();
  const sleepers = new Set<() => void>();
  const wakeAll = () => {
    for (const wake of [...sleepers]) wake();
  };
  /** Responses may arrive out of order, so an older version is ignored. */
  const learn = async (response: Response): Promise<Orders> => {
    const told = OrdersResponse.parse(await response.json());
    if (told.version >= latest.version) latest = told;
    wakeAll();
    return latest.orders;
  };
  const present = (): Orders => {
    if (refused) throw refused;
    return latest.orders;
  };

  const poll = async () => {
    const signal = AbortSignal.any([closed.signal, leaving.signal]);
    const path = () => `/orders?version=${latest.version}&wait=${POLL_SECONDS}`;
    await repeat(signal, async () => {
      await learn(await ask(path(), { method: 'GET', timeoutMs: POLL_MS, signal }));
    });
  };
  const beat = async () => {
    await repeat(closed.signal, async () => {
      await retrying.sleep(HEARTBEAT_MS, closed.signal);
      const request = { method: 'POST', timeoutMs: REQUEST_MS, signal: closed.signal, once: true } as const;
      HeartbeatResponse.parse(await (await ask('/heartbeat', request)).json());
    });
  };
  /** Repeats until the link is closed or the desk does not accept this job any more. */
  const repeat = async (signal: AbortSignal, once: () => Promise<void>) => {
    while (!signal.aborted && !refused) {
      try {
        await once();
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof LinkRefusedError) {
          if (leaving.signal.aborted) return;
          refused = error;
          wakeAll();
          return;
        }
        retrying.onRetry(String(error), 0);
        // The next iteration retries. The pause keeps immediate failures from spinning.
        await retrying.sleep(1000, signal).catch(() => undefined);
      }
    }
  };
  const background = Promise.all([beat(), ...(claimed.kind === 'build' ? [poll()] : [])]);

  const getBlob: JobLink['getBlob'] = async (name) => {
    const response = await ask(`/blobs/${name}`, { method: 'GET', timeoutMs: BLOB_MS, mayBeMissing: true });
    return response.ok ? new Uint8Array(await response.arrayBuffer()) : undefined;
  };

  let reporting: Promise<unknown> = Promise.resolve();
  return {
    claimed,
    isLive: true,
    report(envelope) {
      // One after the other, so that claims stay in order even if one is retried.
      const sent = reporting.then(async () => {
        if (isFinal(envelope.type)) leaving.abort();
        return learn(await ask('/report', { method: 'POST', json: envelope, timeoutMs: REQUEST_MS }));
      });
      reporting = sent.catch(() => undefined);
      return sent;
    },
    /** The newest known orders. Read at every tick of the job's clock, so this must not wait for the network. */
    orders: async () => present(),
    async ordersAfterWait(signal) {
      while (present().do === 'wait' && !signal.aborted) await nextChange(sleepers, signal);
      if (present().do !== 'wait') return present();
      // One last poll, because an answer that arrived just now saves starting another job.
      const look = { method: 'GET', timeoutMs: LAST_LOOK_MS, once: true } as const;
      return ask('/orders', look).then(learn, () => present());
    },
    async openInputs(refs) {
      const response = await ask('/inputs', { method: 'POST', json: { refs }, timeoutMs: REQUEST_MS });
      return InputsResponse.parse(await response.json()).values;
    },
    async putBlob(name, bytes) {
      try {
        await ask(`/blobs/${name}`, { method: 'PUT', bytes, timeoutMs: BLOB_MS });
        return true;
      } catch (error) {
        if (error instanceof LinkRefusedError && error.status === CONFLICT) return false;
        throw error;
      }
    },
    getBlob,
    getChangeset: () => getBlob('changeset'),
    async sendVerification(verification, changeset, withBase) {
      const digest = changeset ? createHash('sha256').update(changeset).digest('hex') : null;
      const json = { verification, changeset: digest, with_base: withBase };
      await ask('/verification', { method: 'POST', json, timeoutMs: REQUEST_MS });
    },
    async close() {
      closed.abort();
      wakeAll();
      await background;
    },
  };
}

function asJobOver(error: unknown): JobOverError | undefined {
  if (!(error instanceof LinkRefusedError) || error.status !== UNAUTHORIZED) return undefined;
  const { data } = Refusal.safeParse(parseJson(error.body));
  return new JobOverError(data?.error ?? error.message, error.status, error.body);
}

function nextChange(sleepers: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      sleepers.delete(wake);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    sleepers.add(wake);
    signal.addEventListener('abort', wake, { once: true });
  });
}
