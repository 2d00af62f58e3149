import { expect, test } from 'vitest';
import { simulate } from './simulate.ts';

const HOURS_MS = 10 * 3_600_000;

test(
  'R-1, R-2, R-3, R-4, R-5, R-6, R-7, R-8, R-9, R-10, R-13, R-14, R-15: every promise holds in every history, even seeds',
  async () => {
    expect(await simulate(0)).toEqual([]);
  },
  HOURS_MS,
);
