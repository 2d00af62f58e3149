import type { AppDependencies } from '../dependencies.ts';
import { workLane } from './work-lane.ts';

/** A refusal is explained to people after its last attempt, and that has to happen while this desk is there. */
const LONGEST_RETRY_MS = 20_000;

/**
 * Performs all that is due and waits for effects that failed and are tried again soon, until nothing is left or the time is up.
 * For a desk that does not stay: the rest is left to the next one.
 */
export async function drainLanes(
  deps: AppDependencies,
  { until, sleep }: { until: Date; sleep(ms: number): Promise<void> },
): Promise<void> {
  for (;;) {
    while (await workLane(deps));
    const wait = await deps.store.outbox.retryIn();
    if (wait === undefined || wait > LONGEST_RETRY_MS) return;
    if (deps.now().getTime() + wait > until.getTime()) return;
    // At least a moment, so that a clock that is behind the store's does not spin.
    await sleep(Math.max(wait, 100));
  }
}
