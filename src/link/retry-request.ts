/** The desk said no in a way that asking again does not change: the ticket, the token or the message is not accepted. */
export class LinkRefusedError extends Error {
  override name = 'LinkRefusedError';
  readonly status: number;
  /** As it came; no more of it than fits into a message. */
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
  /** How long the desk may be away before a request is given up. */
  giveUpMs: number;
  onRetry(problem: string, waitMs: number): void;
}

export interface LinkRequest {
  method: 'GET' | 'POST' | 'PUT';
  url: string;
  token?: string;
  json?: unknown;
  bytes?: Uint8Array;
  timeoutMs: number;
  signal?: AbortSignal;
  /** One try only, whatever comes. */
  once?: boolean;
  /** What is asked for may not be there yet. */
  mayBeMissing?: boolean;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
const LONGEST_RETRY_AFTER_MS = 300_000;
const MAX_ERROR_CHARS = 500;
/** What another try cannot mend. All else may be a proxy's or a restart's. */
const FINAL: ReadonlySet<number> = new Set([400, 401, 403, 409, 410, 413, 415, 422]);

/** Asks until there is an answer. Every request of the job may be repeated: the desk knows what it has seen. */
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

/** Half of it is chance, so that jobs cut off together do not come back together. */
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
      // A token is for this desk alone.
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    // Read here, so that a connection lost half-way counts as no answer.
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
