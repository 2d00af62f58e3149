import { appendFileSync } from 'node:fs';
import { expect } from 'vitest';
import { FACTOR, linearRatio } from '../bench/linear-ratio.ts';
import { countSteps } from './count-steps.ts';

/** Where `npm run bench -- linear` collects the ratios. */
const RATIOS = process.env.AUTOBUILD_LINEAR_RATIOS;
/** Steps for four times the size: 4 times as many if the work is linear, 16 times if it is quadratic. */
const MOST_GROWTH = 6;
/** A time needs sizes that take long. Steps show their growth in smaller ones. */
const MANY = 2_000;
const SMALLER = 8;

/**
 * For code that reads input of others: its work grows as its input does. Steps are counted, because a time depends on the
 * machine, at the sizes `counted` and four times that. What happens inside a regular expression is not a step; the bench measures times and sees that, too.
 */
export function expectLinear(
  work: (size: number) => void,
  small: number,
  counted = small > MANY ? Math.ceil(small / SMALLER) : small,
): void {
  if (RATIOS === undefined) {
    // It copes with the size; and whatever is computed only once is not measured.
    work(FACTOR * small);
    const steps = [counted, FACTOR * counted].map((size) => countSteps(() => work(size)));
    const [before = 0, after = 0] = steps;
    expect(after / before, `${before} steps became ${after}`).toBeLessThan(MOST_GROWTH);
    return;
  }
  const { currentTestName: test = '' } = expect.getState();
  appendFileSync(RATIOS, `${JSON.stringify({ test, ratio: linearRatio(work, small) })}\n`);
}
