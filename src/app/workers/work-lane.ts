import type { GitHub } from '../../core/ports/github-port.ts';
import type { LaneLease, OutgoingEffect } from '../../core/ports/outbox.ts';
import type { AppDependencies } from '../dependencies.ts';
import { endDispatch, isDispatch } from '../effects/explain-failure.ts';
import { performEffect } from '../effects/perform-effect.ts';
import type { BeginShift } from './lane-crew.ts';
import { countAttempts, describeError, isEffectGivenUp, waitFor } from './retry-policy.ts';

/** Renewed during the work, so it can be short and a lane is free again soon after a crash. */
const LEASE_MS = 15_000;
const RENEW_MS = 5_000;
/** A call takes effect some time after it is sent, so none is sent shortly before the lease ends. */
const CALL_MS = 5_000;

/**
 * Takes the lease of one issue's lane, calls `onFound`, and performs all that is due in it. False if no lane has anything due.
 * Any number of workers and desks may do this at once.
 */
export async function workLane(
  deps: AppDependencies,
  { onFound, begin = beginAlone(deps) }: { onFound?: () => void; begin?: BeginShift } = {},
): Promise<boolean> {
  const { outbox } = deps.store;
  const clocks = () => ({ wall: deps.now().getTime(), monotonic: deps.monotonicMs() });
  let asked = clocks();
  const shift = await begin(LEASE_MS);
  if (!shift) return false;
  const { lease, onlyUrgent } = shift;
  onFound?.();
  const renewing = setInterval(async () => {
    const at = clocks();
    if (await renew(deps, lease)) asked = at;
  }, RENEW_MS);
  // Only elapsed time is measured: the lease itself is compared by the database's clock. The wall clock may be set back meanwhile,
  // and the monotonic one stands still while the machine is suspended.
  const mayCall = () => {
    const { wall, monotonic } = clocks();
    if (Math.max(wall - asked.wall, monotonic - asked.monotonic) < LEASE_MS - CALL_MS) return;
    throw new Error('Nothing was sent: the lease of the lane ran out before it could be renewed.');
  };
  const whileHeld: AppDependencies = {
    ...deps,
    github: async (repository) => askBefore(mayCall, await deps.github(repository, mayCall)),
  };
  try {
    for (;;) {
      const effect = await outbox.next(lease, onlyUrgent);
      if (!effect) return true;
      await performNext(whileHeld, lease, effect);
    }
  } finally {
    clearInterval(renewing);
    shift.end();
    await outbox.release(lease);
  }
}

/** For a desk with one worker. */
function beginAlone({ store }: AppDependencies): BeginShift {
  return async (leaseMs) => {
    const lease = await store.outbox.claim(leaseMs);
    return lease && { lease, onlyUrgent: false, end: () => undefined };
  };
}

/**
 * a desk that stood still for longer than its lease must not write what another desk has written meanwhile, so it makes no
 * call any more. The effect is left to the desk that has the lane now. A write may have to wait before it leaves, so the same is
 * asked once more then.
 */
function askBefore(mayCall: () => void, github: GitHub): GitHub {
  return new Proxy(github, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        mayCall();
        return Reflect.apply(value, target, args);
      };
    },
  });
}

async function performNext(deps: AppDependencies, lease: LaneLease, effect: OutgoingEffect): Promise<void> {
  const { outbox } = deps.store;
  const { id, attempts, run } = effect;
  try {
    const { againAfterMs } = await performEffect(deps, effect);
    if (againAfterMs === undefined) await outbox.done(lease, id);
    else await outbox.retry(lease, id, againAfterMs);
  } catch (error) {
    if (deps.mustStop?.(error)) throw error;
    const fields = { lane: lease.lane, run, id, attempts, error: describeError(error) };
    if (isEffectGivenUp(effect.effect, error, countAttempts(error, effect))) {
      deps.log.error(fields, 'given up');
      // its refusal could not be told to the run. An open record would be waited for, and the issue would say for ever that it
      // is built; without one, whoever looks after the jobs finds that the run has none.
      if (isDispatch(effect.effect)) await endDispatch(deps, id, 'given up');
      await outbox.bury(lease, id, fields.error);
      return;
    }
    const wait = waitFor(error, attempts);
    deps.counters?.add('autobuild_effect_retries_total');
    deps.log.warn({ ...fields, wait }, 'will be tried again');
    await outbox.retry(lease, id, wait, fields.error);
  }
}

async function renew({ store, log }: AppDependencies, lease: LaneLease): Promise<boolean> {
  try {
    return await store.outbox.renew(lease, LEASE_MS);
  } catch (error) {
    log.warn({ lane: lease.lane, error: describeError(error) }, 'the lease could not be renewed');
    return false;
  }
}
