import { inTime } from '../../core/in-time.ts';
import type { DueTimer } from '../../core/ports/hosted-store.ts';
import type { Delivery } from '../../core/ports/inbox.ts';
import type { AppDependencies, HostedDependencies } from '../dependencies.ts';
import { handleInput } from '../handle-input.ts';
import { reconcile } from '../reconcile/reconcile.ts';
import { restoreLater } from '../reconcile/restore-later.ts';
import { createTurns, type Turns } from '../reconcile/turns.ts';
import { readRestoreTimer } from '../restore/restore-turns.ts';
import { createLaneCrew } from './lane-crew.ts';
import { describeError, isGivenUp, waitFor } from './retry-policy.ts';
import { watchJobs } from './watch-jobs.ts';
import { workLane } from './work-lane.ts';
import { createQueueWorker } from './work-queue.ts';

const LOOK_MS = 1_000;
const RECONCILE_MS = 60_000;
/**
 * One desk reconciles, as long as it renews its lease. If it dies, another reconciles within the sum of both times, so that a
 * lost webhook is still noticed in time.
 */
const RECONCILE_LEASE_MS = 20_000;
const RENEW_MS = 5_000;
/** A lease that another desk has for longer than this was renewed, so that desk is alive. */
const REFUSED_AT_MOST = RECONCILE_LEASE_MS / RENEW_MS + 1;
/** Timers wait for this many rounds at most, because a repository may hang for longer. */
const CATCH_UP_ROUNDS = 5;
const WATCH_MS = 10_000;
const PRUNE_MS = 3_600_000;
/** Records of ended runs are kept this long: GitHub redelivers webhooks for three days, people look back for weeks. */
const KEPT_MS = 90 * 24 * 3_600_000;
const TIMERS_AT_ONCE = 50;
/** The time until the next try of a timer that failed too often. */
const RARELY_MS = 3_600_000;
/** Lanes handled at once. They are shared among installations. */
const AT_ONCE = { inbox: 4, outbox: 8 };
/**
 * Lanes of one installation handled at once. An installation that is alone may use all inbox workers but one, which is left for
 * another whose webhooks come while its calls hang. GitHub takes one write of an installation per second, so more outbox workers
 * would only wait there.
 */
const OF_ONE_INSTALLATION = { inbox: AT_ONCE.inbox - 1, outbox: 3 };

export interface Workers {
  /** Whether the loops ran recently. */
  alive(): boolean;
  stop(): Promise<void>;
}

/** Runs inbox, outbox, timers and reconcile. All state is in the store, so a killed worker is replaced by the next. */
export function startWorkers(
  deps: HostedDependencies,
  receive: (delivery: Delivery) => Promise<void>,
): Workers {
  const { store, monotonicMs, log } = deps;
  const inbox = createQueueWorker({
    queue: store.inbox,
    name: 'inbox',
    work: receive,
    log,
    ofOneInstallation: OF_ONE_INSTALLATION.inbox,
  });
  const begin = createLaneCrew(store.outbox, {
    atOnce: AT_ONCE.outbox,
    ofOneInstallation: OF_ONE_INSTALLATION.outbox,
  });
  const outbox = (onFound: () => void) => workLane(deps, { onFound, begin });
  const turns = createTurns(deps);
  const owner = deps.randomToken();
  let lastLook = monotonicMs();
  // The loops are separate, so that slow writes to GitHub do not delay the handling of webhooks.
  // Timers wait for the first reconcile, because people may have answered while no desk ran, and their question must not expire.
  let caughtUp = false;
  // A new version may be able to fire what failed in the one before.
  let isRevived = false;
  const timers = async () => {
    if (!caughtUp) return false;
    if (!isRevived) await store.timers.reviveAll();
    isRevived = true;
    return fireTimers(deps, turns);
  };
  const looking = <Args extends unknown[]>(work: (...args: Args) => Promise<boolean>) => {
    return async (...args: Args) => {
      const more = await work(...args);
      lastLook = monotonicMs();
      return more;
    };
  };
  const queues = {
    inbox: createTeam(AT_ONCE.inbox, looking(inbox), log),
    outbox: createTeam(AT_ONCE.outbox, looking(outbox), log),
  };
  const loops = [queues.inbox, createLoop(looking(timers), log), queues.outbox];
  const once = (work: () => Promise<unknown>) =>
    createLoop(async () => {
      await work();
      return false;
    }, log);
  const stopping = new AbortController();
  let rounds = 0;
  // A round may wait long for a GitHub that does not answer. The end does not, because the next desk reads the rest.
  const reconciling = once(() => {
    const round = reconcile(deps, turns).finally(() => {
      rounds += 1;
      if (rounds >= CATCH_UP_ROUNDS) caughtUp = true;
      void turns.over().then(() => {
        caughtUp = true;
      });
    });
    return inTime(round, stopping.signal, () => undefined);
  });
  let isLeased = false;
  let refusals = 0;
  // Apart from the reconciling, which may take longer than the lease.
  const leasing = once(async () => {
    const before = isLeased;
    isLeased = await store.leaseTask('reconcile', owner, RECONCILE_LEASE_MS);
    if (isLeased && !before) reconciling.wake();
    refusals = isLeased ? 0 : refusals + 1;
    if (refusals > REFUSED_AT_MOST) caughtUp = true;
  });
  const watching = once(() => watchJobs(deps));
  const pruning = once(() => store.runs.prune(KEPT_MS));
  const look = () => {
    turns.end();
    for (const loop of loops) loop.wake();
  };
  const unsubscribe = store.onWake((what) => {
    if (what === 'inbox' || what === 'outbox') queues[what].wake();
  });
  const timer = setInterval(look, LOOK_MS);
  const others = [
    setInterval(leasing.wake, RENEW_MS),
    setInterval(() => isLeased && reconciling.wake(), RECONCILE_MS),
    setInterval(watching.wake, WATCH_MS),
    setInterval(pruning.wake, PRUNE_MS),
  ];
  look();
  // Reads the events since the last desk stopped.
  leasing.wake();
  return {
    alive: () => monotonicMs() - lastLook < 30_000,
    async stop() {
      stopping.abort();
      clearInterval(timer);
      for (const other of others) clearInterval(other);
      unsubscribe();
      await Promise.all([...loops, leasing, reconciling, watching, pruning].map((loop) => loop.stop()));
      // If the store is away, the lease runs out by itself.
      if (isLeased) await store.leaseTask('reconcile', owner, 0).catch(() => undefined);
    },
  };
}

interface Loop {
  /** Runs now, or again after the current run. */
  wake(): void;
  isBusy(): boolean;
  stop(): Promise<void>;
}

/**
 * Several loops on one queue. One looks, and a loop that finds something wakes the next, so that an empty queue costs one look
 * however many loops there are.
 */
function createTeam(
  size: number,
  work: (onFound: () => void) => Promise<boolean>,
  log: AppDependencies['log'],
): Loop {
  const wake = () => {
    const idle = loops.find((loop) => !loop.isBusy());
    // A busy loop may have looked before this wake-up, so each looks again when it has finished.
    for (const loop of idle ? [idle] : loops) loop.wake();
  };
  const loops = Array.from({ length: size }, () => createLoop(() => work(wake), log));
  return {
    wake,
    isBusy: () => loops.every((loop) => loop.isBusy()),
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
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
    isBusy: () => working !== undefined,
    async stop() {
      stopped = true;
      await working;
    },
  };
}

/**
 * True if more timers may be due. R-14: something of ours that is read again takes as long as GitHub does, so the other timers are
 * fired first, and it continues beside the next ones when its turn is over.
 */
export async function fireTimers(deps: AppDependencies, turns: Turns = createTurns(deps)): Promise<boolean> {
  const due = await deps.store.timers.due(TIMERS_AT_ONCE);
  const isSlow = ({ timer }: DueTimer) => readRestoreTimer(timer) !== undefined;
  for (const timer of due) if (!isSlow(timer)) await fireTimer(deps, timer);
  let begun = 0;
  const fire = async (timer: DueTimer) => {
    begun += 1;
    await fireTimer(deps, timer);
  };
  const slow = due.filter(isSlow);
  await Promise.all(
    slow.map((timer) => turns.take({ name: `${timer.run} ${timer.timer}` }, () => fire(timer))),
  );
  return due.length === TIMERS_AT_ONCE && begun === slow.length;
}

/**
 * A timer that fails is put off with a back-off, because the others that are due must not wait for it. None is given up: a reminder
 * or the start of a round comes late rather than never.
 */
async function fireTimer(deps: AppDependencies, due: DueTimer): Promise<void> {
  const { timers } = deps.store;
  const { run, timer, at: dueAt } = due;
  const now = deps.now().toISOString();
  // The database says that it is due, so a desk whose clock is behind does not decide as if it were not.
  const at = now < dueAt ? dueAt : now;
  try {
    const restored = readRestoreTimer(timer);
    if (restored !== undefined) await restoreLater(deps, run, restored);
    else await handleInput(deps, run, { type: 'timer', at, timer }, [`timer:${run}:${timer}:${dueAt}`]);
  } catch (error) {
    const attempts = due.attempts + 1;
    const isRare = isGivenUp(error, attempts);
    const wait = Math.max(waitFor(error, attempts), isRare ? RARELY_MS : 0);
    const fields = { run, timer, attempts, wait, error: describeError(error) };
    if (isRare) deps.log.error(fields, 'timer failed too often and is tried every hour');
    else deps.log.warn(fields, 'timer will be tried again');
    return timers.retry(due, wait);
  }
  await timers.done(due);
}
