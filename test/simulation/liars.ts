import type { Hub } from './desk.ts';
import { createRandom } from './random.ts';

/** Every so many histories have it. The others are as they were without it. */
const LIED = 1 / 25;
/** Enough for a question, and soon. */
const MOST_TURNS = 3;

/** Every job says that nothing was counted so far and that its work is done, which a fresh job never confirms. */
export function planLiars(hub: Hub, seed: number): void {
  if (!createRandom(seed ^ 0x7e0d).chance(LIED)) return;
  hub.areLiars = true;
  hub.github.config += `max_turns: ${MOST_TURNS}\n`;
}
