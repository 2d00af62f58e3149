import type { Delivery } from '../../core/ports/inbox.ts';
import type { AppDependencies } from '../dependencies.ts';
import { performOrExplain } from '../effects/perform-or-explain.ts';
import { handleInput } from '../handle-input.ts';
import { reconcile } from '../reconcile/reconcile.ts';
import { createQueueWorker, type QueueWorker } from './work-queue.ts';

const LOOK_MS = 1_000;
const RECONCILE_MS = 60_000;
const TIMERS_AT_ONCE = 50;
/** Lanes handled at once, per queue. */
const AT_ONCE = 4;

export interface Workers {
  /** Whether the loops ran recently. */
  alive(): boolean;
  stop(): Promise<void>;
}

/** Runs inbox, outbox, timers and reconcile. All state is in the store, so a killed worker is replaced by the next. */
export function startWorkers(deps: AppDependencies, receive: (delivery: Delivery) => Promise<void>): Workers {
  const { store, now, log } = deps;
  const inbox = createQueueWorker({ queue: store.inbox, name: 'inbox', work: receive, now, log });
  const outbox = createOutboxWorker(deps);
  let lastLook = now().getTime();
  // The loops are separate, so that slow writes to GitHub do not delay the handling of webhooks.
  const several = <Work>(work: Work) => Array.from({ length: AT_ONCE }, () => work);
  // Timers wait for the first reconcile, because people may have answered while no desk ran, and their question must not expire.
  let caughtUp = false;
  const timers = async () => caughtUp && fireTimers(deps);
  const loops = [...several(inbox), timers, ...several(outbox)].map((work) =>
    createLoop(async () => {
      const more = await work();
      lastLook = now().getTime();
      return more;
    }, log),
  );
  const reconciling = createLoop(async () => {
    try {
      await reconcile(deps);
    } finally {
      caughtUp = true;
    }
    return false;
  }, log);
  const look = () => {
    for (const loop of loops) loop.wake();
  };
  const unsubscribe = store.onWake((what) => {
    if (what === 'inbox' || what === 'outbox') look();
  });
  const timer = setInterval(look, LOOK_MS);
  const reconcileTimer = setInterval(reconciling.wake, RECONCILE_MS);
  look();
  // Reads the events since the last desk stopped.
  reconciling.wake();
  return {
    alive: () => now().getTime() - lastLook < 30_000,
    async stop() {
      clearInterval(timer);
      clearInterval(reconcileTimer);
      unsubscribe();
      await Promise.all([...loops, reconciling].map((loop) => loop.stop()));
    },
  };
}

/** Performs decided effects on GitHub. */
export function createOutboxWorker(deps: AppDependencies): QueueWorker {
  const { store, now, log, counters } = deps;
  return createQueueWorker({
    queue: store.outbox,
    name: 'outbox',
    work: (effect) => performOrExplain(deps, effect),
    now,
    log,
    onRetry: () => counters?.add('autobuild_effect_retries_total'),
  });
}

interface Loop {
  /** Runs now, or again after the current run. */
  wake(): void;
  stop(): Promise<void>;
}

/** `work` returns whether there is more to do. */
function createLoop(work: () => Promise<boolean>, log: AppDependencies['log']): Loop {
  let wanted = false;
  let stopped = false;
  let working: Promise<void> | undefined;
  const go = async () => {
    while (wanted && !stopped) {
      wanted = false;
      try {
        wanted = (await work()) || wanted;
      } catch (error) {
        log.error({ error: String(error) }, 'a round of work failed');
      }
    }
    working = undefined;
  };
  return {
    wake() {
      wanted = true;
      if (!stopped) working ??= go();
    },
    async stop() {
      stopped = true;
      await working;
    },
  };
}

export async function fireTimers(deps: AppDependencies): Promise<boolean> {
  const at = deps.now().toISOString();
  const all = await deps.store.timers.due(at, TIMERS_AT_ONCE);
  for (const { run, timer, at: due } of all) {
    await handleInput(deps, run, { type: 'timer', at, timer }, [`timer:${run}:${timer}:${due}`]);
    await deps.store.timers.done(run, timer, due);
  }
  return all.length === TIMERS_AT_ONCE;
}
