import { expect, test } from 'vitest';
import { raceAll } from './desk-races.ts';

test('N-2: whole desks that race, killed anywhere, their runs dropped, their ref moved: nothing lost, nothing doubled (the first 20 seeds)', async () => {
  expect((await raceAll(1, 20)).broken).toEqual([]);
});

test('N-2: a race is the same each time', async () => {
  const [one, other] = [await raceAll(7, 1), await raceAll(7, 1)];
  expect(one.seen).toEqual(other.seen);
});
