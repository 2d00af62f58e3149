import { expect, test } from 'vitest';
import { inParallel } from '../../../src/runner/disk/in-parallel.ts';

test('each is done once, a few at a time, and the results keep their order', async () => {
  let running = 0;
  let most = 0;
  const done: number[] = [];
  const items = Array.from({ length: 100 }, (_, at) => at);
  const results = await inParallel(items, async (item) => {
    running += 1;
    most = Math.max(most, running);
    // Later ones are ready sooner.
    for (let left = 100 - item; left > 0; left -= 1) await Promise.resolve();
    running -= 1;
    done.push(item);
    return item * 2;
  });
  expect(results).toEqual(items.map((item) => item * 2));
  expect(done.sort((one, other) => one - other)).toEqual(items);
  expect(most).toBe(16);
});

test('what fails in one fails in all', async () => {
  const work = async (item: number) => {
    if (item === 2) throw new Error('broken');
  };
  await expect(inParallel([1, 2, 3], work)).rejects.toThrow('broken');
});
