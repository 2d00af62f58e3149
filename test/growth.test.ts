import { expect, test } from 'vitest';
import { growth } from './growth.ts';

/** Steps that the compiler cannot leave out. */
function spend(steps: number): number {
  let sum = 0;
  for (let step = 0; step < steps; step += 1) sum = (sum * 31 + step) % 65_521;
  return sum;
}

test('linear work is told from quadratic work', () => {
  expect(growth((size) => spend(size * 1_000), 1_000)).toBeLessThan(10);
  expect(growth((size) => spend(size * size), 1_500)).toBeGreaterThan(10);
});

test('a pattern that looks for its end from every beginning is seen', () => {
  const read = (size: number) => void /a+b/.exec('a'.repeat(size));
  expect(growth(read, 4_096)).toBeGreaterThan(10);
});

test('work that takes next to no time is as good as linear', () => {
  expect(growth((size) => spend(size * size), 8)).toBe(4);
});
