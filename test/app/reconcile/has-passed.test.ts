import { expect, test } from 'vitest';
import { isDueAgain } from '../../../src/app/reconcile/back-off.ts';
import { hasPassed } from '../../../src/app/reconcile/has-passed.ts';

const MINUTE_MS = 60_000;

test('R-1: a pause is over after its time, and at once if it began in the future', () => {
  const after = (ms: number) => hasPassed(MINUTE_MS, { since: 0, now: ms });
  expect([after(0), after(MINUTE_MS - 1), after(MINUTE_MS), after(-1)]).toEqual([false, false, true, true]);
});

test('R-1: what was asked for in the future is asked for again', () => {
  const asked = 24 * 60 * MINUTE_MS;
  expect(isDueAgain({ now: MINUTE_MS, since: 0, asked })).toBe(true);
});
