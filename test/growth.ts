const ROUNDS = 5;
/** Below this the clock and the collector weigh more than the work: 2 ms and 0.1 ms are the same. */
const FLOOR_MS = 2;
/** Enough was measured; slow work, which is what this looks for, is then run only once per size. */
const ENOUGH_MS = 250;

/**
 * How many times longer the work takes for four times the size: about 4 when it is linear, 16 when it is quadratic.
 * Both sizes take turns in the same run, and of each the best round counts, so a busy machine cancels out.
 */
export function growth(work: (size: number) => void, small: number): number {
  work(small);
  let best = Number.POSITIVE_INFINITY;
  let bestOfLarge = Number.POSITIVE_INFINITY;
  let spent = 0;
  for (let round = 0; round < ROUNDS && spent < ENOUGH_MS; round += 1) {
    const ms = timeOf(() => work(small));
    const msOfLarge = timeOf(() => work(4 * small));
    best = Math.min(best, ms);
    bestOfLarge = Math.min(bestOfLarge, msOfLarge);
    spent += ms + msOfLarge;
  }
  return Math.max(bestOfLarge, FLOOR_MS) / Math.max(best, FLOOR_MS);
}

/** Of this thread's own time: what others do on the machine is not in it. */
function timeOf(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
