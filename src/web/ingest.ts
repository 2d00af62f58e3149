import { createSecretKey } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { APP_PATHS } from '../core/app-manifest.ts';
import type { Inbox } from '../core/ports/inbox.ts';
import { WEBHOOK_EVENTS } from '../core/ports/webhook-events.ts';
import { keepFields, WEBHOOK_FIELDS } from '../core/ports/webhook-fields.ts';
import type { Counters } from './counters.ts';
import { installationOf, isOthersCi, isOthersPush, laneOf } from './delivery-lane.ts';
import { createGroupCommit } from './group-commit.ts';
import type { Logger } from './log.ts';
import { createBodyBudget, discardRest, readBody } from './read-body.ts';
import { isSigned } from './webhook-signature.ts';

export const WEBHOOK_PATH = APP_PATHS.webhooks;
/** GitHub's own limit for a payload. */
const MAX_WEBHOOK_BYTES = 25 * 1024 * 1024;
export const MIN_SECRET_LENGTH = 16;

/** Other events and actions are acknowledged and dropped. */
const HANDLED = new Map(
  (Object.keys(WEBHOOK_EVENTS) as (keyof typeof WEBHOOK_EVENTS)[]).map((event) => [
    event as string,
    { actions: new Set<unknown>(WEBHOOK_EVENTS[event]), fields: WEBHOOK_FIELDS[event] },
  ]),
);

const DELIVERY_ID = /^[\w-]{1,100}$/;
const EVENT_NAME = /^[a-z_]{1,60}$/;
const RETRY_AFTER_SECONDS = '5';

export interface IngestDependencies {
  secret: string;
  inbox: Pick<Inbox, 'put'>;
  now(): Date;
  log: Logger;
  counters: Counters;
  limits?: Partial<IngestLimits>;
}

export interface Ingest {
  /** The id goes into the response's headers with all others, because a header that is set on its own is slower. */
  handle(request: IncomingMessage, response: ServerResponse, requestId: string): Promise<void>;
}

interface IngestLimits {
  /** The most deliveries that wait to be stored. */
  queued: number;
  /** The most bytes of all bodies. */
  bufferedBytes: number;
  /** The longest time that a body may take. */
  bodyMs: number;
  batch: number;
  batchesAtOnce: number;
  storeTimeoutMs: number;
}

const LIMITS: IngestLimits = {
  queued: 2_000,
  bufferedBytes: 256 * 1024 * 1024,
  // GitHub closes the connection after 10 s.
  bodyMs: 10_000,
  batch: 200,
  batchesAtOnce: 1,
  storeTimeoutMs: 5_000,
};

type Answer = { status: number; text: string; result: string; headers?: Record<string, string> };

const answer = (status: number, result: string, text = result): Answer => ({ status, text, result });
const busy = (result: string): Answer => ({
  ...answer(503, result, 'not stored, try again'),
  headers: { 'retry-after': RETRY_AFTER_SECONDS },
});

const REFUSED = {
  too_large: answer(413, 'too_large'),
  busy: busy('overloaded'),
  slow: answer(408, 'too_slow', 'the body took too long'),
  broken: answer(400, 'broken_off'),
};

/** Receives webhooks: verifies the signature of the raw bytes, stores them, then acknowledges. They are handled later. */
export function createIngest(deps: IngestDependencies): Ingest {
  const { secret, inbox, now, log, counters } = deps;
  checkSecret(secret);
  // Made once: of a string, Node would make it for each signature.
  const key = createSecretKey(secret, 'utf8');
  const limits = { ...LIMITS, ...deps.limits };
  const budget = createBodyBudget(limits.bufferedBytes);
  const commits = createGroupCommit({
    inbox,
    maxBatch: limits.batch,
    batchesAtOnce: limits.batchesAtOnce,
    timeoutMs: limits.storeTimeoutMs,
    onFailure: (err, deliveries) => log.error({ err, deliveries }, 'webhooks could not be stored'),
  });

  async function receive(request: IncomingMessage): Promise<Answer> {
    const { headers } = request;
    if (request.method !== 'POST')
      return { ...answer(405, 'wrong_method', 'POST only'), headers: { allow: 'POST' } };
    if (Number(headers['content-length'] ?? 0) > MAX_WEBHOOK_BYTES) return REFUSED.too_large;
    const signature = headers['x-hub-signature-256'];
    if (typeof signature !== 'string') return answer(401, 'unsigned', 'X-Hub-Signature-256 is missing');
    if (commits.size() >= limits.queued) return busy('overloaded');
    const body = await readBody(request, { maxBytes: MAX_WEBHOOK_BYTES, timeoutMs: limits.bodyMs }, budget);
    if (!body.ok) return REFUSED[body.problem];
    try {
      return await keep(body.bytes, signature, headers);
    } finally {
      body.release();
    }
  }

  async function keep(bytes: Buffer, signature: string, headers: IncomingHttpHeaders): Promise<Answer> {
    if (!isSigned(bytes, signature, key)) return answer(401, 'wrong_signature');
    const id = headers['x-github-delivery'];
    const event = headers['x-github-event'];
    if (typeof id !== 'string' || !DELIVERY_ID.test(id))
      return answer(400, 'bad_request', 'X-GitHub-Delivery is missing or malformed');
    if (typeof event !== 'string' || !EVENT_NAME.test(event))
      return answer(400, 'bad_request', 'X-GitHub-Event is missing or malformed');
    const handled = HANDLED.get(event);
    if (!handled) return answer(202, 'ignored');
    const payload = parseObject(bytes);
    if (!payload)
      return answer(
        400,
        'bad_request',
        "The body is not a JSON object: set the webhook's content type to application/json",
      );
    if (!handled.actions.has(payload.action ?? '')) return answer(202, 'ignored');
    if (isOthersCi(event, payload) || isOthersPush(event, payload)) return answer(202, 'ignored');
    // Checked again, because other deliveries may have arrived while this one was read.
    if (commits.size() >= limits.queued) return busy('overloaded');
    const kept = await commits.put({
      id,
      event,
      payload: JSON.stringify(keepFields(payload, handled.fields)),
      lane: laneOf(payload),
      installation: installationOf(payload),
      received_ms: now().getTime(),
    });
    switch (kept) {
      case 'fresh':
        return answer(202, 'queued');
      case 'duplicate':
        return answer(202, 'duplicate');
      case 'unavailable':
        return busy('unavailable');
    }
  }

  return {
    async handle(request, response, requestId) {
      const { status, text, result, headers } = await receive(request);
      counters.add('autobuild_deliveries_total', { result });
      if (status >= 400) {
        const delivery = String(request.headers['x-github-delivery'] ?? '').slice(0, 100);
        const from = request.socket.remoteAddress;
        log.warn({ status, result, delivery, from }, 'webhook refused');
      }
      if (response.destroyed) return;
      const line = `${text}\n`;
      response.writeHead(status, {
        'x-request-id': requestId,
        'content-type': 'text/plain; charset=utf-8',
        'content-length': Buffer.byteLength(line),
        ...headers,
      });
      response.end(line);
      if (!request.complete) discardRest(request);
    },
  };
}

function parseObject(bytes: Buffer): { action?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function checkSecret(secret: string): void {
  if (secret === 'development' || secret.length < MIN_SECRET_LENGTH)
    throw new Error(
      `The webhook secret needs at least ${MIN_SECRET_LENGTH} characters that nobody can guess.`,
    );
}
