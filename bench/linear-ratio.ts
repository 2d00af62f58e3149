const ROUNDS = 5;
export const FACTOR = 4;
/** Kernels may count a thread's time in ticks of 4 ms: below a few of them, no difference means anything. */
const FLOOR_MS = 10;
/** Enough was measured; slow work, which is what this looks for, is then done only once. */
const ENOUGH_MS = 400;

/**
 * How many times longer the work takes for four times the size: about 4 when it is linear, 16 when it is quadratic.
 * Four times the small work takes turns with the large one, and of each the best round counts: when linear, both
 * take equally long, so that whatever else the machine does weighs on both alike.
 */
export function linearRatio(work: (size: number) => void, small: number): number {
  work(small);
  let bestOfSmall = Number.POSITIVE_INFINITY;
  let bestOfLarge = Number.POSITIVE_INFINITY;
  let spent = 0;
  for (let round = 0; round < ROUNDS && spent < ENOUGH_MS; round += 1) {
    const msOfSmall = timeOf(() => {
      for (let times = 0; times < FACTOR; times += 1) work(small);
    });
    const msOfLarge = timeOf(() => work(FACTOR * small));
    bestOfSmall = Math.min(bestOfSmall, msOfSmall);
    bestOfLarge = Math.min(bestOfLarge, msOfLarge);
    spent += msOfSmall + msOfLarge;
  }
  return (FACTOR * Math.max(bestOfLarge, FLOOR_MS)) / Math.max(bestOfSmall, FLOOR_MS);
}

/** Of this thread alone: what others do on the machine is not in it. */
function timeOf(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
