import { expect, test } from 'vitest';
import { TurnQueue } from '../../../../src/runner/job/turn/turn-queue.ts';

test('work is done one after the other, and work that is added meanwhile is waited for', async () => {
  const log: string[] = [];
  const queue = new TurnQueue(async () => undefined);
  const add = (name: string, then?: () => void) =>
    queue.add(async () => {
      log.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      log.push(`${name} ends`);
      then?.();
    });
  add('one', () => add('three'));
  add('two');
  await queue.drain();
  expect(log).toEqual(['one begins', 'one ends', 'two begins', 'two ends', 'three begins', 'three ends']);
});

test('every failure is handled at once, and the first one is thrown in the end', async () => {
  let failures = 0;
  const queue = new TurnQueue(async () => {
    failures += 1;
  });
  queue.add(() => Promise.reject(new Error('the link is gone')));
  queue.add(() => Promise.reject(new Error('another')));
  await expect(queue.drain()).rejects.toThrow('the link is gone');
  expect(failures).toBe(2);
});
