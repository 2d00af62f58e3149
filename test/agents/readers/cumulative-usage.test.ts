import { expect, test } from 'vitest';
import { createCumulativeUsage } from '../../../src/agents/readers/cumulative-usage.ts';

test('requests add up, each once, and the total never falls', () => {
  const usage = createCumulativeUsage();
  usage.request('a', { input: 10, output: 1 });
  usage.request('a', { input: 10, output: 5 });
  expect(usage.request('b', { input: 20, output: 1 })).toEqual({
    type: 'usage',
    scope: 'run',
    input_tokens: 30,
    output_tokens: 6,
  });
  expect(usage.total({ input: 25, output: 50 }, 0.5)).toMatchObject({
    input_tokens: 30,
    output_tokens: 50,
    cost_usd: 0.5,
  });
  expect(usage.request('c', { input: 1, output: 1 })).toMatchObject({
    input_tokens: 31,
    output_tokens: 50,
    cost_usd: 0.5,
  });
});

test('cached reads are told apart, over requests and the total', () => {
  const usage = createCumulativeUsage();
  usage.request('a', { input: 10, output: 1, cached: 7 });
  expect(usage.request('b', { input: 20, output: 1, cached: 5 })).toMatchObject({ cached_tokens: 12 });
  expect(usage.total({ input: 40, output: 2, cached: 30 })).toMatchObject({ cached_tokens: 30 });
});

test('thousands of requests are kept as one sum', () => {
  const usage = createCumulativeUsage();
  for (let at = 0; at < 5_000; at += 1) usage.request(`r${at}`, { input: 2, output: 1 });
  expect(usage.request('last', { input: 2, output: 1 })).toMatchObject({
    input_tokens: 10_002,
    output_tokens: 5_001,
  });
});
