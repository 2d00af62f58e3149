import { GitHubError } from '../../core/ports/github-port.ts';
import type { Leased, Queue } from '../../core/ports/inbox.ts';
import type { AppLog } from '../dependencies.ts';

/** Renewed during the work, so it can be short and an item is free again soon after a crash. */
const LEASE_MS = 15_000;
const RENEW_MS = 5_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 600_000;
/** About two hours of retries, enough for an hour's outage of GitHub. */
const MOST_ATTEMPTS = 18;

/** Several attempts, because a permission that was just granted may not have propagated yet. */
export const REFUSED_ATTEMPTS = 3;

/** Handles the oldest due item. False if none is due. */
export type QueueWorker = () => Promise<boolean>;

/**
 * Handles an item, retries it with back-off, or buries it. Any number of workers may run at once, because the store keeps the
 * order of each lane.
 */
export function createQueueWorker<Item extends { id: string }>(options: {
  queue: Queue<Item>;
  name: string;
  work(item: Item & Leased): Promise<void>;
  now(): Date;
  log: AppLog;
  onRetry?(): void;
}): QueueWorker {
  const { queue, name, work, now, log, onRetry } = options;
  const giveBack = async (item: Item & Leased, error: unknown): Promise<void> => {
    const text = describe(error);
    if (isGivenUp(error, item.attempts)) {
      log.error({ queue: name, id: item.id, attempts: item.attempts, error: text }, 'given up');
      await queue.bury(item, text);
      return;
    }
    const wait = waitFor(error, item.attempts);
    onRetry?.();
    log.warn({ queue: name, id: item.id, attempts: item.attempts, wait, error: text }, 'will be tried again');
    await queue.retry(item, new Date(now().getTime() + wait).toISOString(), text);
  };
  const renew = async (item: Item & Leased): Promise<void> => {
    try {
      await queue.renew(item, new Date(now().getTime() + LEASE_MS).toISOString());
    } catch (error) {
      log.warn({ queue: name, id: item.id, error: describe(error) }, 'the lease could not be renewed');
    }
  };
  return async () => {
    const item = await queue.claim(now().toISOString(), LEASE_MS);
    if (!item) return false;
    const renewing = setInterval(() => void renew(item), RENEW_MS);
    try {
      await work(item);
      await queue.done(item);
    } catch (error) {
      await giveBack(item, error);
    } finally {
      clearInterval(renewing);
    }
    return true;
  };
}

function waitFor(error: unknown, attempts: number): number {
  const asked = error instanceof GitHubError && error.retryAfter ? error.retryAfter * 1_000 : 0;
  return Math.max(asked, Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, attempts - 1)));
}

/** True if the item is not retried any more. */
export function isGivenUp(error: unknown, attempts: number): boolean {
  return attempts >= MOST_ATTEMPTS || isFinal(error, attempts);
}

/** Whether retrying is useless. 404 and 409 may resolve with time; a refusal rarely does. */
function isFinal(error: unknown, attempts: number): boolean {
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  if (!(inner instanceof GitHubError)) return false;
  if (inner.unreachable || inner.status === 410 || inner.status === 422) return true;
  return isRefusal(inner) && attempts >= REFUSED_ATTEMPTS;
}

/** Whether a permission or setting refuses the call. A rate limit is also a 403, but has a time to retry after. */
export function isRefusal(error: GitHubError): boolean {
  return error.status === 403 && error.retryAfter === undefined;
}

function describe(error: unknown): string {
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  return (inner instanceof Error ? inner.message : String(inner)).slice(0, 500);
}
