import { runHistory } from './history.ts';
import { describeBroken, shrink } from './shrink.ts';

/** Seeds in `npm test`, over all files of this folder. More: SIMULATION_SEEDS=100000. */
const SEEDS = Number(process.env.SIMULATION_SEEDS ?? 2000);
const FIRST = Number(process.env.SIMULATION_FIRST ?? 1);
/** More of the same tell nothing new. */
const MOST_BROKEN = 3;

/** Runs every second seed, so that two workers share them. Returns what people have to look into. */
export async function simulate(offset: 0 | 1): Promise<string[]> {
  const one = process.env.SIMULATION_SEED;
  if (one !== undefined) {
    if (offset !== Number(one) % 2 && process.env.VITEST_POOL_ID !== undefined) return [];
    const history = await runHistory(Number(one));
    process.stdout.write(`${history.trace.join('\n')}\n`);
    return history.broken.length > 0 ? [describeBroken(await shrink(history), { withTrace: true })] : [];
  }
  const problems: string[] = [];
  for (let seed = FIRST; seed < FIRST + SEEDS && problems.length < MOST_BROKEN; seed += 1) {
    if (seed % 2 !== offset) continue;
    const history = await runHistory(seed);
    if (history.broken.length > 0) problems.push(describeBroken(await shrink(history)));
  }
  return problems;
}
