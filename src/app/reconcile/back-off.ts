import { hasPassed } from './has-passed.ts';

const SHORTEST_MS = 60_000;
const LONGEST_MS = 15 * 60_000;

/** Whether something that has not changed for long is asked for again: the longer, the more rarely. */
export function isDueAgain({ now, since, asked }: { now: number; since: number; asked: number }): boolean {
  const wait = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, (asked - since) / 2));
  return hasPassed(wait, { since: asked, now });
}
