import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Inbox } from '../core/ports/inbox.ts';
import { WEBHOOK_EVENTS } from '../core/ports/webhook-events.ts';
import type { Counters } from './counters.ts';
import { laneOf, pickLaneFields } from './delivery-lane.ts';
import { createGroupCommit } from './group-commit.ts';
import type { Logger } from './log.ts';
import { createBodyBudget, discardRest, readBody } from './read-body.ts';
import { isSigned } from './webhook-signature.ts';

export const WEBHOOK_PATH = '/api/github/webhooks';
/** GitHub's own limit for a payload. */
const MAX_WEBHOOK_BYTES = 25 * 1024 * 1024;
export const MIN_SECRET_LENGTH = 16;

/** Others are acknowledged and dropped. */
const HANDLED_EVENTS: ReadonlySet<string> = new Set(Object.keys(WEBHOOK_EVENTS));

const DELIVERY_ID = /^[\w-]{1,100}$/;
const EVENT_NAME = /^[a-z_]{1,60}$/;
const RETRY_AFTER_SECONDS = '5';

export interface IngestDependencies {
  secret: string;
  inbox: Pick<Inbox, 'put'>;
  now(): Date;
  log: Logger;
  counters: Counters;
  handledEvents?: ReadonlySet<string>;
  limits?: Partial<IngestLimits>;
}

interface IngestLimits {
  /** The most deliveries that wait to be stored. */
  queued: number;
  /** The most bytes of all bodies that are being read. */
  bufferedBytes: number;
  batch: number;
  storeTimeoutMs: number;
}

const LIMITS: IngestLimits = {
  queued: 2_000,
  bufferedBytes: 256 * 1024 * 1024,
  batch: 200,
  // GitHub closes the connection after 10 s.
  storeTimeoutMs: 5_000,
};

type Answer = { status: number; text: string; result: string; headers?: Record<string, string> };

const answer = (status: number, result: string, text = result): Answer => ({ status, text, result });
const busy = (result: string): Answer => ({
  ...answer(503, result, 'not stored, try again'),
  headers: { 'retry-after': RETRY_AFTER_SECONDS },
});

/** Receives webhooks: verifies the signature of the raw bytes, stores them, then acknowledges. They are handled later. */
export function createIngest(deps: IngestDependencies): {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
} {
  const { secret, inbox, now, log, counters } = deps;
  checkSecret(secret);
  const limits = { ...LIMITS, ...deps.limits };
  const handled = deps.handledEvents ?? HANDLED_EVENTS;
  const budget = createBodyBudget(limits.bufferedBytes);
  const commits = createGroupCommit({
    inbox,
    maxBatch: limits.batch,
    timeoutMs: limits.storeTimeoutMs,
    onFailure: (err, deliveries) => log.error({ err, deliveries }, 'webhooks could not be stored'),
  });

  async function receive(request: IncomingMessage): Promise<Answer> {
    const { headers } = request;
    if (request.method !== 'POST')
      return { ...answer(405, 'wrong_method', 'POST only'), headers: { allow: 'POST' } };
    if (Number(headers['content-length'] ?? 0) > MAX_WEBHOOK_BYTES) return answer(413, 'too_large');
    const signature = headers['x-hub-signature-256'];
    if (typeof signature !== 'string') return answer(401, 'unsigned', 'X-Hub-Signature-256 is missing');
    if (commits.size() >= limits.queued) return busy('overloaded');
    const body = await readBody(request, MAX_WEBHOOK_BYTES, budget);
    if (!body.ok) {
      if (body.problem === 'too_large') return answer(413, 'too_large');
      return body.problem === 'busy' ? busy('overloaded') : answer(400, 'broken_off');
    }
    try {
      return await keep(body.bytes, signature, headers);
    } finally {
      budget.give(body.bytes.length);
    }
  }

  async function keep(bytes: Buffer, signature: string, headers: IncomingHttpHeaders): Promise<Answer> {
    if (!isSigned(bytes, signature, secret)) return answer(401, 'wrong_signature');
    const id = headers['x-github-delivery'];
    const event = headers['x-github-event'];
    if (typeof id !== 'string' || !DELIVERY_ID.test(id))
      return answer(400, 'bad_request', 'X-GitHub-Delivery is missing or malformed');
    if (typeof event !== 'string' || !EVENT_NAME.test(event))
      return answer(400, 'bad_request', 'X-GitHub-Event is missing or malformed');
    if (!handled.has(event)) return answer(202, 'ignored');
    const laneFields = pickLaneFields(bytes);
    if (!laneFields)
      return answer(
        400,
        'bad_request',
        "The body is not a JSON object: set the webhook's content type to application/json",
      );
    // Checked again, because other deliveries may have arrived while this one was read.
    if (commits.size() >= limits.queued) return busy('overloaded');
    const received_at = now().toISOString();
    const kept = await commits.put({ id, event, payload: bytes, lane: laneOf(laneFields), received_at });
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
    async handle(request, response) {
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
        'content-type': 'text/plain; charset=utf-8',
        'content-length': Buffer.byteLength(line),
        ...headers,
      });
      response.end(line);
      if (!request.complete) discardRest(request);
    },
  };
}

function checkSecret(secret: string): void {
  if (secret === 'development' || secret.length < MIN_SECRET_LENGTH)
    throw new Error(
      `The webhook secret needs at least ${MIN_SECRET_LENGTH} characters that nobody can guess.`,
    );
}
