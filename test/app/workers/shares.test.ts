import { expect, test } from 'vitest';
import { createShares } from '../../../src/app/workers/shares.ts';

test('R-14: an installation has its share until one of its workers is done', () => {
  const shares = createShares(2);
  const ends = [shares.take(7), shares.take(7), shares.take(undefined), shares.take(8)];
  expect(shares.full()).toEqual([7]);
  expect([shares.isFull(7), shares.isFull(8), shares.isFull(undefined)]).toEqual([true, false, false]);
  expect(shares.taken()).toBe(4);
  ends[0]?.();
  ends[0]?.();
  expect(shares.full()).toEqual([]);
  expect(shares.taken()).toBe(3);
});

test('workers look one after the other, also after a look that failed', async () => {
  const shares = createShares(2);
  const said: string[] = [];
  const first = Promise.withResolvers<string>();
  const looks = [
    shares.inTurn(() => {
      said.push('first');
      return first.promise;
    }),
    shares.inTurn(async () => void said.push('second')),
  ];
  await new Promise((resolve) => setImmediate(resolve));
  expect(said).toEqual(['first']);
  first.reject(new Error('the database is away'));
  await expect(looks[0]).rejects.toThrow('away');
  await looks[1];
  expect(said).toEqual(['first', 'second']);
});

test('R-12: a look that hangs keeps no other worker from looking', async () => {
  const shares = createShares(2, 1);
  void shares.inTurn(() => new Promise(() => undefined));
  expect(await shares.inTurn(async () => 'found')).toBe('found');
});
