import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MS = 50;
/** Far beyond what a loaded machine needs. */
const DEADLINE_MS = 75_000;

/** Asks until there is an answer that is neither false nor undefined, and gives it back. */
export async function until<Value>(
  what: string,
  ask: () => Promise<Value | undefined | false> | Value | undefined | false,
  describe: () => string = () => '',
): Promise<Value> {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`Waited in vain for: ${what}\n${describe()}`);
    await sleep(LOOK_MS);
  }
}
