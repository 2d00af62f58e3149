import type { Hub } from './desk.ts';
import { createRandom } from './random.ts';

/** Every so many histories have it with few turns, and as many with few verifications. The others are as they were without it. */
const LIED = 1 / 25;
/** Enough for a question, and soon. */
const MOST_TURNS = 3;
const MOST_VERIFICATIONS = 3;

/** Every so many others have jobs that never finish a turn. */
const IDLE = 1 / 40;

/** Every job says that nothing was counted so far and that its work is done, which a fresh job never confirms. */
export function planLiars(hub: Hub, seed: number): void {
  const drawn = createRandom(seed ^ 0x7e0d).next();
  hub.areIdle = drawn >= 2 * LIED && drawn < 2 * LIED + IDLE;
  if (hub.areIdle) hub.github.config += `max_turns: ${MOST_TURNS}\n`;
  if (drawn >= 2 * LIED) return;
  hub.areLiars = true;
  hub.github.config +=
    drawn < LIED
      ? `max_turns: ${MOST_TURNS}\n`
      : `guards: { total_verification_attempts: ${MOST_VERIFICATIONS} }\n`;
}
