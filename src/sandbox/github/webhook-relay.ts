import { createHmac, randomUUID } from 'node:crypto';
import type { Json } from './gap.ts';

const TIMEOUT_MS = 10_000;
const MOST_KEPT = 2_000;
const FIRST_ATTEMPT = 9_000_001;

export interface Delivery {
  id: string;
  event: string;
  action?: string;
  payload: Json;
  /** The response status of each attempt. 0 if nobody answered. */
  statuses: number[];
}

/** One attempt to deliver. A delivery may have several. */
export interface Attempt {
  id: number;
  delivery: Delivery;
  at: string;
  /** 0 if nobody answered. */
  status: number;
  redelivery: boolean;
}

export interface WebhookRelay {
  /** Sets the addresses of the Apps, used in turn. Without any, deliveries are lost, as on GitHub. */
  to(urls: string[]): void;
  targets(): readonly string[];
  emit(event: string, payload: Json): void;
  /** Oldest first. */
  readonly deliveries: readonly Delivery[];
  /** Oldest first. */
  readonly attempts: readonly Attempt[];
  /** Sends it again after everything that is under way. */
  sendAgain(delivery: Delivery): void;
  /** Sends the same delivery again under the same id. */
  redeliver(delivery: Delivery): Promise<number>;
  /** Simulates a network: maps a delivery to those that are sent now. An empty list delays it. */
  route(through: (delivery: Delivery) => Delivery[]): void;
  settled(): Promise<void>;
  /** GitHub tells an App of nothing that happened before it was installed, and lists none of it as sent. */
  forget(): Promise<void>;
}

/** emulate derives delivery ids from the clock, so that two may be equal, and does not report what an edit changed. */
export function createWebhookRelay(secret: string): WebhookRelay {
  const deliveries: Delivery[] = [];
  const attempts: Attempt[] = [];
  let attempted = FIRST_ATTEMPT;
  let urls: string[] = [];
  let turn = 0;
  let through = (delivery: Delivery) => [delivery];
  let sending: Promise<unknown> = Promise.resolve();

  async function send(delivery: Delivery): Promise<number> {
    const url = urls[turn % urls.length];
    turn += 1;
    const status = url === undefined ? 0 : await post(url, delivery, secret);
    const redelivery = delivery.statuses.length > 0;
    delivery.statuses.push(status);
    attempts.push({ id: attempted, delivery, at: new Date().toISOString(), status, redelivery });
    attempted += 1;
    if (attempts.length > MOST_KEPT) attempts.shift();
    return status;
  }

  async function settled(): Promise<void> {
    for (let seen: unknown; seen !== sending; ) {
      seen = sending;
      await seen;
    }
  }

  return {
    deliveries,
    attempts,
    settled,
    async forget() {
      await settled();
      for (const list of [deliveries, attempts]) list.length = 0;
    },
    sendAgain(delivery) {
      sending = sending.then(() => send(delivery));
    },
    to(targets) {
      urls = targets;
    },
    targets: () => urls,
    route(next) {
      through = next;
    },
    redeliver: send,
    emit(event, payload) {
      const action = typeof payload.action === 'string' ? payload.action : undefined;
      const delivery: Delivery = { id: randomUUID(), event, action, payload, statuses: [] };
      deliveries.push(delivery);
      if (deliveries.length > MOST_KEPT) deliveries.shift();
      sending = sending.then(async () => {
        for (const one of through(delivery)) await send(one);
      });
    },
  };
}

async function post(url: string, { id, event, payload }: Delivery, secret: string): Promise<number> {
  const body = JSON.stringify(payload);
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'GitHub-Hookshot/sandbox',
        'x-github-event': event,
        'x-github-delivery': id,
        'x-hub-signature-256': `sha256=${signature}`,
      },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    // GitHub does not retry, either.
    return 0;
  }
}
