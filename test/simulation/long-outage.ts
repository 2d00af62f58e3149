import type { Hub } from './desk.ts';
import { createRandom } from './random.ts';

/** Every so many histories have it. The others are as they were without it. */
const LONG = 1 / 40;
const MINUTE_MS = 60_000;

/** GitHub is down, or limits the App, for an hour. What is due then is done afterwards. */
export function planLongOutage(hub: Hub, seed: number, troubled: number): void {
  const { world } = hub;
  const random = createRandom(seed ^ 0x5e2b);
  if (!random.chance(LONG) || !world.faults.happens('GitHub is down for an hour', 1)) return;
  const status = random.pick([503, 500, 429]);
  const ms = random.between(60, 66) * MINUTE_MS;
  world.after(random.between(10_000, troubled), () => {
    world.log(`GitHub is down for an hour (${status})`);
    hub.wasDown = true;
    hub.isDownForLong = true;
    hub.outage = { until: world.now + ms, status, retryAfter: status === 429 ? 60 : undefined };
  });
}
