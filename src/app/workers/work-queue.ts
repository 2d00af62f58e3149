import type { Leased, Queue } from '../../core/ports/inbox.ts';
import type { AppLog } from '../dependencies.ts';
import { countAttempts, describeError, isGivenUp, waitFor } from './retry-policy.ts';
import { createShares } from './shares.ts';

/** Renewed during the work, so it can be short and an item is free again soon after a crash. */
const LEASE_MS = 15_000;
const RENEW_MS = 5_000;

/** Handles the oldest due item, and calls `onFound` before it does. False if none is due. */
type QueueWorker = (onFound?: () => void) => Promise<boolean>;

/**
 * Handles an item, retries it with back-off, or buries it. Any number of workers may run at once, because the store keeps the
 * order of each lane. R-14: `ofOneInstallation` of them handle items of one installation at most, so that the others are left to
 * other installations while its calls hang.
 */
export function createQueueWorker<Item extends { id: string; installation?: number }>(options: {
  queue: Queue<Item>;
  name: string;
  work(item: Item & Leased): Promise<void>;
  log: AppLog;
  ofOneInstallation?: number;
}): QueueWorker {
  const { queue, name, work, log, ofOneInstallation = Number.POSITIVE_INFINITY } = options;
  const shares = createShares(ofOneInstallation);
  const claim = async () => {
    const item = await queue.claim(LEASE_MS, { full: shares.full() });
    return item && { item, end: shares.take(item.installation) };
  };
  const giveBack = async (item: Item & Leased, error: unknown): Promise<void> => {
    const fields = { queue: name, id: item.id, attempts: item.attempts, error: describeError(error) };
    if (isGivenUp(error, countAttempts(error, item))) {
      log.error(fields, 'given up');
      await queue.bury(item, fields.error);
      return;
    }
    const wait = waitFor(error, item.attempts);
    log.warn({ ...fields, wait }, 'will be tried again');
    await queue.retry(item, wait, fields.error);
  };
  const renew = async (item: Item & Leased): Promise<void> => {
    try {
      await queue.renew(item, LEASE_MS);
    } catch (error) {
      log.warn({ queue: name, id: item.id, error: describeError(error) }, 'the lease could not be renewed');
    }
  };
  return async (onFound) => {
    const claimed = await shares.inTurn(claim);
    if (!claimed) return false;
    const { item, end } = claimed;
    onFound?.();
    const renewing = setInterval(() => void renew(item), RENEW_MS);
    try {
      await work(item);
      await queue.done(item);
    } catch (error) {
      await giveBack(item, error);
    } finally {
      clearInterval(renewing);
      end();
    }
    return true;
  };
}
