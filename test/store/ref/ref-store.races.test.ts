import { expect, test } from 'vitest';
import { createMemoryRefStorage } from './memory-ref-storage.ts';
import { type Faults, type Outcome, race } from './races.ts';

const SEEDS = Array.from({ length: 200 }, (_, index) => index + 1);

async function raceAll(seeds: number[], faults?: Faults): Promise<Outcome> {
  const sum: Outcome = { lost: 0, doubled: 0, seen: {} };
  for (const seed of seeds) {
    const storage = createMemoryRefStorage();
    const { lost, doubled, seen } = await race(seed, () => storage, faults);
    sum.lost += lost;
    sum.doubled += doubled;
    for (const [what, times] of Object.entries(seen)) sum.seen[what] = (sum.seen[what] ?? 0) + times;
  }
  return sum;
}

const seen: Record<string, number> = {};

test.each([0, 50, 100, 150])(
  'N-2: several desks, killed anywhere, with clocks apart (50 seeds from %i): no comment lost, no answer doubled',
  async (first) => {
    const sum = await raceAll(SEEDS.slice(first, first + 50));
    for (const [what, times] of Object.entries(sum.seen)) seen[what] = (seen[what] ?? 0) + times;
    expect(sum).toMatchObject({ lost: 0, doubled: 0 });
  },
);

test('the seeds are about something', () => {
  for (const what of ['before save', 'after save', 'after an effect', 'before release'])
    expect(seen[`killed ${what}`], what).toBeGreaterThan(5);
  for (const what of ['killed', 'waited', 'answer lost', 'dropped', 'released', 'gave up waiting'])
    expect(seen[what], what).toBeGreaterThan(5);
});

test('N-2: the same races notice a lease that is missing', async () => {
  const { doubled } = await raceAll(SEEDS.slice(0, 40), { withoutLease: true });
  expect(doubled).toBeGreaterThan(3);
});

test('N-2: the same races notice a swap that does not compare', async () => {
  const { lost, doubled } = await raceAll(SEEDS.slice(0, 40), { withoutCompare: true });
  expect(lost + doubled).toBeGreaterThan(3);
});
