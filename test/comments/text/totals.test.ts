import { expect, test } from 'vitest';
import { totalsOf } from '../../../src/comments/text/totals.ts';
import { run } from '../story.ts';

const LIMITS = { turns: 10, minutes: 60, files: 20, cost: null, scope: null };
const used = (input_tokens: number, output_tokens: number) => {
  const state = run();
  const usage = { ...state.usage, input_tokens, output_tokens, cost_usd: null };
  const { tokens_in, tokens_out, tokens } = totalsOf({ ...state, usage }, LIMITS);
  return [tokens_in, tokens_out, tokens];
};

test('V-8: the receipt of an agent that reports no tokens does not say that it used none', () => {
  expect(used(0, 0)).toEqual(['not reported', 'not reported', 'not reported']);
  expect(used(1200, 0)).toEqual(['1200', '0', '1200']);
});
