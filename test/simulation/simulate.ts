import { findBroken } from './find-broken.ts';

/** Seeds in `npm test`, over all files of this folder. More: SIMULATION_SEEDS=100000. */
const SEEDS = Number(process.env.SIMULATION_SEEDS ?? 2000);
const FIRST = Number(process.env.SIMULATION_FIRST ?? 1);
/** More of the same tell nothing new. */
const MOST_BROKEN = 3;

/** Runs every second seed, so that two workers share them. Returns what people have to look into. */
export async function simulate(offset: 0 | 1): Promise<string[]> {
  const problems: string[] = [];
  for (let seed = FIRST; seed < FIRST + SEEDS && problems.length < MOST_BROKEN; seed += 1) {
    if (seed % 2 !== offset) continue;
    const broken = await findBroken(seed, { store: 'sqlite' });
    if (broken !== undefined) problems.push(broken);
  }
  return problems;
}
