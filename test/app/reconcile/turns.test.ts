import { beforeEach, expect, test } from 'vitest';
import { createTurns, type Turns } from '../../../src/app/reconcile/turns.ts';

let time: number;
let logged: string[];
let turns: Turns;
beforeEach(() => {
  time = 0;
  logged = [];
  const log = (_: object, message: string) => void logged.push(message);
  turns = createTurns({ monotonicMs: () => time, log: { info: log, warn: log, error: log } });
});

const ONE = { name: 'one', installation_id: 100 };

test('R-14: what ends in its turn is waited for, with its result or its error', async () => {
  expect(await turns.take(ONE, async () => 'done')).toBe('done');
  const fail = () => Promise.reject(new Error('no'));
  await expect(turns.take(ONE, fail)).rejects.toThrow('no');
  expect(logged).toEqual([]);
});

test('R-14: what takes longer is waited for no longer, and not begun again before it has ended', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let begun = 0;
  const work = () => {
    begun += 1;
    return promise.then(() => 'late');
  };
  const taken = turns.take(ONE, work);
  time = 4_999;
  turns.end();
  expect(turns.isLate(100)).toBe(false);
  time = 5_000;
  turns.end();
  expect(await taken).toBeUndefined();
  expect([turns.isLate(100), turns.isLate(101)]).toEqual([true, false]);
  expect(await turns.take(ONE, work)).toBeUndefined();
  expect(begun).toBe(1);
  const over = turns.over();
  resolve();
  await over;
  expect(turns.isLate(100)).toBe(false);
  expect(await turns.take(ONE, work)).toBe('late');
});

test('R-14: a failure after the turn is logged', async () => {
  const { promise, reject } = Promise.withResolvers<void>();
  const taken = turns.take(ONE, () => promise);
  time = 5_000;
  turns.end();
  await taken;
  reject(new Error('no'));
  await turns.over();
  expect(logged).toEqual(['work that took long has failed']);
});
