import { setTimeout as sleep } from 'node:timers/promises';
import type { Supervised } from '../process/supervise.ts';

/** No longer than it would have between two signals: what it does now, nobody watches. */
const FINISH_MS = 2_000;

/**
 * For an agent that has asked for help and is about to be ended: it has usually said all it had to say. Left alone for a
 * moment it ends by itself, with its conversation saved and its figures told.
 */
export async function letFinish(agent: Supervised): Promise<void> {
  agent.closeStdin();
  await agent.thaw();
  const patience = new AbortController();
  const gone = agent.exited.then(
    () => undefined,
    // Whoever waits for the agent's end hears of it.
    () => undefined,
  );
  await Promise.race([gone, sleep(FINISH_MS, undefined, { signal: patience.signal }).catch(() => undefined)]);
  patience.abort();
}
