import { expect, test } from 'vitest';
import type { Delivery } from '../../src/core/ports/inbox.ts';
import { createGroupCommit } from '../../src/web/group-commit.ts';
import { delivery } from '../store/hosted/commits.ts';

type Put = PromiseWithResolvers<'fresh'[]> & { ids: string[] };

function open(maxBatch: number, batchesAtOnce = 2) {
  const puts: Put[] = [];
  const failures: number[] = [];
  const commits = createGroupCommit({
    inbox: {
      put(deliveries: Delivery[]) {
        const put = { ...Promise.withResolvers<'fresh'[]>(), ids: deliveries.map(({ id }) => id) };
        puts.push(put);
        return put.promise;
      },
    },
    maxBatch,
    batchesAtOnce,
    timeoutMs: 60_000,
    onFailure: (_, deliveries) => failures.push(deliveries),
  });
  return {
    puts,
    failures,
    commits,
    batches: () => puts.map(({ ids }) => ids.join('')),
    give: (ids: string) => [...ids].map((id) => commits.put(delivery(id))),
  };
}

/** More rounds of the event loop than a batch waits for others. */
async function rounds(): Promise<void> {
  for (let round = 0; round < 10; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
const stored = ({ ids, resolve }: Put) => resolve(ids.map(() => 'fresh'));

test('R-4: a batch is written while the one before waits for the disk; the others wait for either', async () => {
  const { puts, batches, give, commits } = open(2);
  const kept = give('abcdefg');
  await rounds();
  expect(batches()).toEqual(['ab', 'cd']);
  expect(commits.size()).toBe(3);
  stored(puts[1] as Put);
  expect(await Promise.all(kept.slice(2, 4))).toEqual(['fresh', 'fresh']);
  await rounds();
  expect(batches()).toEqual(['ab', 'cd', 'ef']);
  stored(puts[2] as Put);
  await rounds();
  expect(batches()).toEqual(['ab', 'cd', 'ef', 'g']);
  for (const put of puts) stored(put);
  expect(await Promise.all(kept)).toEqual(Array.from({ length: 7 }, () => 'fresh'));
  expect(commits.size()).toBe(0);
});

test('R-12: a batch that cannot be stored is refused as a whole, and no other one with it', async () => {
  const { puts, failures, give } = open(2);
  // The last one waits while the others are stored.
  const kept = give('abcde');
  await rounds();
  puts[0]?.reject(new Error('full'));
  await rounds();
  stored(puts[1] as Put);
  stored(puts[2] as Put);
  expect(await Promise.all(kept)).toEqual(['unavailable', 'unavailable', 'fresh', 'fresh', 'fresh']);
  expect(failures).toEqual([2]);
});

test('R-2: one batch at a time keeps the order in a store that would not', async () => {
  const { puts, batches, give } = open(2, 1);
  const kept = give('abc');
  await rounds();
  expect(batches()).toEqual(['ab']);
  stored(puts[0] as Put);
  await rounds();
  expect(batches()).toEqual(['ab', 'c']);
  stored(puts[1] as Put);
  expect(await Promise.all(kept)).toEqual(['fresh', 'fresh', 'fresh']);
});
