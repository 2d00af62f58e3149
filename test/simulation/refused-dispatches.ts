import type { Hub } from './desk.ts';
import { createRandom } from './random.ts';

/** Every so many histories have it. The others are as they were without it. */
const REFUSED = 1 / 12;
const MINUTE_MS = 60_000;

/** For many minutes GitHub refuses to start jobs: a permission is missing, Actions is disabled, or the workflow is gone. */
export function planRefusedDispatches(hub: Hub, seed: number, troubled: number): void {
  const { world } = hub;
  const random = createRandom(seed ^ 0x4d15);
  if (!random.chance(REFUSED) || !world.faults.happens('dispatches are refused', 1)) return;
  const status = random.pick([403, 404, 422]);
  const ms = random.between(4, 30) * MINUTE_MS;
  // Now and then the first job is one of those that are refused.
  world.after(random.chance(0.4) ? 0 : random.between(10_000, troubled), () => {
    world.log(`GitHub refuses to start jobs (${status})`);
    hub.dispatchesRefused = { until: world.now + ms, status };
  });
}
