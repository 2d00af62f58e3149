import { setTimeout } from 'node:timers/promises';

/** GitHub's times are whole seconds. */
export async function changeSecond(): Promise<void> {
  const before = Math.floor(Date.now() / 1_000);
  while (Math.floor(Date.now() / 1_000) === before) await setTimeout(20);
}
