import { expect, test } from 'vitest';
import { runHistory } from './history.ts';

test('a seed has one history, so that a broken promise can be looked into', async () => {
  const [first, again] = [await runHistory(7), await runHistory(7)];
  expect(again.trace).toEqual(first.trace);
  expect(first.faults.length).toBeGreaterThan(5);
});

test('a history without its faults is another one, so that failures shrink', async () => {
  const whole = await runHistory(7);
  const calm = await runHistory(7, { allowed: new Set() });
  expect(calm.faults).toEqual([]);
  expect(calm.broken).toEqual([]);
  expect(calm.trace).not.toEqual(whole.trace);
});
