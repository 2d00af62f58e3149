import { expect, test } from 'vitest';
import { costFigure } from '../../../src/comments/text/cost-figure.ts';

const BOTH = { dollars: 10, tokens: 5_000_000 };

test.each([
  [{ cost_usd: 1.239, tokens: 9e6 }, BOTH, '$1.24/10.00'],
  [{ cost_usd: null, tokens: 1_310_000 }, BOTH, '1.31 M/5.00 M tokens'],
  [{ cost_usd: 0, tokens: 55_000 }, BOTH, '55 k/5.00 M tokens'],
  [{ cost_usd: null, tokens: 55_000 }, { dollars: 10 }, undefined],
  [{ cost_usd: 1.5, tokens: 55_000 }, { tokens: 100_000 }, '$1.50, 55 k/100 k tokens'],
  [{ cost_usd: 1.5 }, null, '$1.50'],
  [{ cost_usd: null }, BOTH, undefined],
])('cost_exceeds: %j with the limit %j is shown as %s', (spent, limit, shown) => {
  expect(costFigure(spent, limit)).toBe(shown);
});
