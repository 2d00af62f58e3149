import type { AppDependencies } from '../dependencies.ts';
import { workLane } from './work-lane.ts';

/**
 * Performs all that is due and waits for effects that failed, until nothing is left or the next attempt is after the time. For a
 * desk that does not stay: the next one may come much later, and only that one would do the rest.
 */
export async function drainLanes(
  deps: AppDependencies,
  { until, sleep }: { until: Date; sleep(ms: number): Promise<void> },
): Promise<void> {
  for (;;) {
    while (await workLane(deps));
    const wait = await deps.store.outbox.retryIn();
    if (wait === undefined) return;
    if (deps.now().getTime() + wait > until.getTime()) return;
    // At least a moment, so that a clock that is behind the store's does not spin.
    await sleep(Math.max(wait, 100));
  }
}
