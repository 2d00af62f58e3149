import { expect, test } from 'vitest';
import { mapConcurrently } from '../../src/core/map-concurrently.ts';

const later = () => new Promise<void>((resolve) => setImmediate(resolve));

test('results keep their order and never more than the limit are under way', async () => {
  let busy = 0;
  let most = 0;
  const results = await mapConcurrently([5, 1, 4, 2, 3, 0], 2, async (item) => {
    busy += 1;
    most = Math.max(most, busy);
    for (let turn = 0; turn < item; turn += 1) await later();
    busy -= 1;
    return item * 10;
  });
  expect(results).toEqual([50, 10, 40, 20, 30, 0]);
  expect(most).toBe(2);
});

test('the first failure stops the rest', async () => {
  const started: number[] = [];
  const work = mapConcurrently([1, 2, 3, 4, 5], 2, async (item) => {
    started.push(item);
    await later();
    if (item === 1) throw new Error('one failed');
    await later();
  });
  await expect(work).rejects.toThrow('one failed');
  for (let turn = 0; turn < 10; turn += 1) await later();
  expect(started).toEqual([1, 2]);
});

test('nothing to do', async () => {
  expect(await mapConcurrently([], 2, later)).toEqual([]);
});
