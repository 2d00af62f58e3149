import { expect, test } from 'vitest';
import type { History } from './history.ts';
import { shrink } from './shrink.ts';

/** A history of so many faults that breaks a promise if all of these are among those that happen. */
function historyOf(count: number, needed: readonly number[]) {
  const replayed: number[] = [];
  const play = async (allowed: ReadonlySet<number>): Promise<History> => {
    const faults = Array.from({ length: count }, (_, number) => ({
      number,
      kind: `fault ${number}`,
      at: number,
    }));
    const happened = faults.filter(({ number }) => allowed.has(number));
    replayed.push(happened.length);
    const broken = needed.every((number) => allowed.has(number)) ? ['R-2: something happened twice'] : [];
    return { seed: 1, broken, trace: [], faults: happened, steps: 0 };
  };
  return { play, replayed, whole: () => play(new Set(Array.from({ length: count }, (_, number) => number))) };
}

test('R-2: of all faults of a broken history those stay that are needed to break it', async () => {
  const { play, whole, replayed } = historyOf(40, [3, 17]);
  const smallest = await shrink(await whole(), play);
  expect(smallest.faults.map(({ number }) => number)).toEqual([3, 17]);
  expect(smallest.broken).toEqual(['R-2: something happened twice']);
  expect(replayed.length).toBeLessThanOrEqual(61);
});

test('R-2: a history that breaks without any fault has none left', async () => {
  const { play, whole } = historyOf(9, []);
  expect((await shrink(await whole(), play)).faults).toEqual([]);
});

test('R-2: a history of which every fault is needed stays as it is, after a bounded number of replays', async () => {
  const { play, whole, replayed } = historyOf(
    200,
    Array.from({ length: 200 }, (_, number) => number),
  );
  expect((await shrink(await whole(), play)).faults).toHaveLength(200);
  expect(replayed).toHaveLength(61);
});
