import { afterAll, beforeAll, expect, test } from 'vitest';
import { findBroken } from './find-broken.ts';
import { openSimulatedPostgres } from './postgres-store.ts';

const SEEDS = Number(process.env.SIMULATION_POSTGRES_SEEDS ?? 50);
/** How many of them are played with two desks whose clocks are 20 seconds apart. */
const SKEWED = Math.ceil(SEEDS / 2);
const FIRST = Number(process.env.SIMULATION_FIRST ?? 1);
const HOURS_MS = 10 * 3_600_000;

let postgres: Awaited<ReturnType<typeof openSimulatedPostgres>>;
beforeAll(async () => {
  postgres = await openSimulatedPostgres();
});
afterAll(() => postgres?.close());

async function play(first: number, seeds: number, skews?: readonly number[]): Promise<string[]> {
  const problems: string[] = [];
  for (let seed = first; seed < first + seeds; seed += 1) {
    const broken = await findBroken(seed, { store: 'postgres', emptyStore: postgres.emptyStore, skews });
    if (broken !== undefined) problems.push(broken);
  }
  return problems;
}

test(
  'R-2, R-6, R-13: every promise holds in every history, on PostgreSQL',
  async () => {
    expect(await play(FIRST, SEEDS - SKEWED)).toEqual([]);
  },
  HOURS_MS,
);

test(
  'R-2, R-6: two desks whose clocks are 20 seconds apart write and start nothing twice, on PostgreSQL',
  async () => {
    expect(await play(FIRST + SEEDS - SKEWED, SKEWED, [-10_000, 10_000])).toEqual([]);
  },
  HOURS_MS,
);
