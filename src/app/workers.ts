import type { Delivery } from '../core/hosted-ports.ts';
import { decideForRun } from './decide-for-run.ts';
import { performEffect } from './effects/perform-effect.ts';
import type { AppParts } from './parts.ts';
import { reconcile } from './reconcile.ts';
import { createQueueWorker } from './work-queue.ts';

const LOOK_MS = 1_000;
const RECONCILE_MS = 60_000;
const TIMERS_AT_ONCE = 50;

export interface Workers {
  /** Whether the last look was not long ago. */
  alive(): boolean;
  /** Everything that is due now, for tests and for a desk that lives for one job only. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

/** Inbox, outbox, timers and reconcile. Nothing here is needed for truth: a killed worker is replaced by the next. */
export function startWorkers(parts: AppParts, receive: (delivery: Delivery) => Promise<void>): Workers {
  const { store, now, log } = parts;
  const inbox = createQueueWorker({ queue: store.inbox, name: 'inbox', work: receive, now, log });
  const outbox = createQueueWorker({
    queue: store.outbox,
    name: 'outbox',
    work: (effect) => performEffect(parts, effect),
    now,
    log,
  });
  let lastLook = now().getTime();
  let stopped = false;
  let looking: Promise<void> = Promise.resolve();
  let reconciling: Promise<void> = Promise.resolve();

  async function drain(): Promise<void> {
    await inbox.drain();
    await fireTimers(parts);
    await outbox.drain();
  }
  const look = () => {
    if (stopped) return;
    looking = looking.then(drain).then(
      () => {
        lastLook = now().getTime();
      },
      (error: unknown) => log.error({ error: String(error) }, 'a look at the queues failed'),
    );
  };
  const unsubscribe = store.onWake((what) => {
    if (what === 'inbox' || what === 'outbox') look();
  });
  const timer = setInterval(look, LOOK_MS);
  const reconcileTimer = setInterval(() => {
    reconciling = reconciling
      .then(() => reconcile(parts))
      .catch((error: unknown) => {
        log.error({ error: String(error) }, 'reconcile failed');
      });
  }, RECONCILE_MS);
  look();
  return {
    alive: () => !stopped && now().getTime() - lastLook < 30_000,
    drain,
    async stop() {
      stopped = true;
      clearInterval(timer);
      clearInterval(reconcileTimer);
      unsubscribe();
      await Promise.all([looking, reconciling]);
    },
  };
}

async function fireTimers(parts: AppParts): Promise<void> {
  const at = parts.now().toISOString();
  for (const { run, timer, at: due } of await parts.store.timers.due(at, TIMERS_AT_ONCE)) {
    await decideForRun(parts, run, { type: 'timer', at, timer }, [`timer:${run}:${timer}:${due}`]);
    await parts.store.timers.done(run, timer, due);
  }
}
