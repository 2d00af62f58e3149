import type { LaneLease, OutgoingEffect } from '../../core/ports/outbox.ts';
import type { AppDependencies } from '../dependencies.ts';
import { performOrExplain } from '../effects/perform-or-explain.ts';
import { describeError, isGivenUp, waitFor } from './retry-policy.ts';

/** Renewed during the work, so it can be short and a lane is free again soon after a crash. */
const LEASE_MS = 15_000;
const RENEW_MS = 5_000;

/**
 * Takes the lease of one issue's lane and performs all that is due in it. False if no lane has anything due. Any number of
 * workers and desks may do this at once.
 */
export async function workLane(deps: AppDependencies): Promise<boolean> {
  const { outbox } = deps.store;
  const lease = await outbox.claim(LEASE_MS);
  if (!lease) return false;
  const renewing = setInterval(() => void renew(deps, lease), RENEW_MS);
  try {
    for (;;) {
      const effect = await outbox.next(lease);
      if (!effect) return true;
      await performNext(deps, lease, effect);
    }
  } finally {
    clearInterval(renewing);
    await outbox.release(lease);
  }
}

async function performNext(deps: AppDependencies, lease: LaneLease, effect: OutgoingEffect): Promise<void> {
  const { outbox } = deps.store;
  const { id, attempts, run } = effect;
  try {
    const { againAfterMs } = await performOrExplain(deps, effect);
    if (againAfterMs === undefined) await outbox.done(lease, id);
    else await outbox.retry(lease, id, againAfterMs, '');
  } catch (error) {
    const fields = { lane: lease.lane, run, id, attempts, error: describeError(error) };
    if (isGivenUp(error, attempts)) {
      deps.log.error(fields, 'given up');
      await outbox.bury(lease, id, fields.error);
      return;
    }
    const wait = waitFor(error, attempts);
    deps.counters?.add('autobuild_effect_retries_total');
    deps.log.warn({ ...fields, wait }, 'will be tried again');
    await outbox.retry(lease, id, wait, fields.error);
  }
}

async function renew({ store, log }: AppDependencies, lease: LaneLease): Promise<void> {
  try {
    await store.outbox.renew(lease, LEASE_MS);
  } catch (error) {
    log.warn({ lane: lease.lane, error: describeError(error) }, 'the lease could not be renewed');
  }
}
