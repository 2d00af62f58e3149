import { setTimeout as sleep } from 'node:timers/promises';

/** Each look is a call to the local GitHub, so they become rarer: all tests together would keep a core busy with looking. */
const LOOK_MS = { first: 50, most: 300, growth: 1.3 };
/** Far beyond what a loaded machine needs. */
const DEADLINE_MS = 75_000;

/** Asks until there is an answer that is neither false nor undefined, and gives it back. */
export async function until<Value>(
  what: string,
  ask: () => Promise<Value | undefined | false> | Value | undefined | false,
  describe: () => string = () => '',
): Promise<Value> {
  const deadline = performance.now() + DEADLINE_MS;
  for (let wait = LOOK_MS.first; ; wait = Math.min(wait * LOOK_MS.growth, LOOK_MS.most)) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`Waited in vain for: ${what}\n${describe()}`);
    await sleep(wait);
  }
}
