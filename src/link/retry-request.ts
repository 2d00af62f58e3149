import { setTimeout as sleepFor } from 'node:timers/promises';

/** The desk refused the ticket, the token or the message, so a retry is useless. */
export class LinkRefusedError extends Error {
  override name = 'LinkRefusedError';
  readonly status: number;
  /** The response body, truncated to fit a message. */
  readonly body: string;

  constructor(message: string, status: number, body = '') {
    super(message);
    this.status = status;
    this.body = body;
  }
}

export interface RetryOptions {
  fetch: typeof fetch;
  now(): Date;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  random(): number;
  /** The time the desk may be unavailable before a request fails. */
  giveUpMs: number;
  onRetry(problem: string, waitMs: number): void;
}

/** The settings of a caller. Tests replace the clock and the network. */
export interface RetrySettings {
  fetch?: typeof fetch;
  now(): Date;
  sleep?(ms: number, signal?: AbortSignal): Promise<void>;
  random?(): number;
  giveUpMs?: number;
  onRetry?(problem: string, waitMs: number): void;
}

const GIVE_UP_MS = 30 * 60_000;

export function retryOptions(settings: RetrySettings): RetryOptions {
  return {
    fetch: settings.fetch ?? fetch,
    now: settings.now,
    sleep: settings.sleep ?? ((ms, signal) => sleepFor(ms, undefined, { signal })),
    random: settings.random ?? Math.random,
    giveUpMs: settings.giveUpMs ?? GIVE_UP_MS,
    onRetry: settings.onRetry ?? (() => undefined),
  };
}

export interface LinkRequest {
  method: 'GET' | 'POST' | 'PUT';
  url: string;
  token?: string;
  json?: unknown;
  bytes?: Uint8Array;
  timeoutMs: number;
  signal?: AbortSignal;
  /** Never retry. */
  once?: boolean;
  /** A 404 is an expected response. */
  mayBeMissing?: boolean;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
const LONGEST_RETRY_AFTER_MS = 300_000;
const MAX_ERROR_CHARS = 500;
/** Statuses that a retry cannot change. Others may come from a proxy or a restart. */
const FINAL: ReadonlySet<number> = new Set([400, 401, 403, 409, 410, 413, 415, 422]);

/** Sends a request until it is answered. Every request of a job is idempotent, so it may be repeated. */
export async function requestWithRetries(options: RetryOptions, request: LinkRequest): Promise<Response> {
  const begun = options.now().getTime();
  for (let attempt = 0; ; attempt += 1) {
    const tried = await tryOnce(options.fetch, request);
    if (tried.response?.ok) return tried.response;
    if (request.mayBeMissing && tried.response?.status === 404) return tried.response;
    const { problem } = tried;
    if (tried.response && FINAL.has(tried.response.status))
      throw new LinkRefusedError(problem, tried.response.status, tried.text);
    request.signal?.throwIfAborted();
    const waitMs = Math.max(tried.retryAfterMs ?? 0, backOff(attempt, options.random()));
    if (request.once || options.now().getTime() + waitMs - begun > options.giveUpMs)
      throw new Error(`The desk does not answer: ${problem}`);
    options.onRetry(problem, waitMs);
    await options.sleep(waitMs, request.signal);
  }
}

/** Half of the delay is random, so that jobs that were cut off together do not return together. */
function backOff(attempt: number, random: number): number {
  const most = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempt, 10));
  return Math.round(most / 2 + (most / 2) * random);
}

interface Tried {
  response?: Response;
  text?: string;
  problem: string;
  retryAfterMs?: number;
}

async function tryOnce(fetch: RetryOptions['fetch'], request: LinkRequest): Promise<Tried> {
  const { method, url, token, json, bytes, timeoutMs, signal } = request;
  const timeout = AbortSignal.timeout(timeoutMs);
  const headers: Record<string, string> = {};
  if (token) headers.authorization = `Bearer ${token}`;
  if (json !== undefined) headers['content-type'] = 'application/json';
  if (bytes) headers['content-type'] = 'application/octet-stream';
  const body = json === undefined ? (bytes as Uint8Array<ArrayBuffer> | undefined) : JSON.stringify(json);
  try {
    const response = await fetch(url, {
      method,
      headers,
      body,
      // No redirects, because the token is for this desk only.
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    // Reads the body here, so that a connection lost halfway counts as a failure.
    const whole = new Response(await response.arrayBuffer(), response);
    if (whole.ok) return { response: whole, problem: '' };
    const text = (await whole.clone().text()).slice(0, MAX_ERROR_CHARS);
    const seconds = Number(response.headers.get('retry-after'));
    const retryAfterMs = seconds > 0 ? Math.min(seconds * 1000, LONGEST_RETRY_AFTER_MS) : undefined;
    return { response: whole, text, problem: `${response.status} ${text}`.trim(), retryAfterMs };
  } catch (error) {
    const { message, cause } = error as Error;
    return { problem: cause instanceof Error ? `${message}: ${cause.message}` : message };
  }
}
