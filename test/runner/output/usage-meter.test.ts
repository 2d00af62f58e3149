import { expect, test } from 'vitest';
import { createUsageMeter } from '../../../src/runner/output/usage-meter.ts';

const NOTHING = { input_tokens: 0, output_tokens: 0, cost_usd: null };
const usage = (scope: 'step' | 'run' | 'session', input: number, output: number, cost?: number) => ({
  type: 'usage' as const,
  scope,
  input_tokens: input,
  output_tokens: output,
  ...(cost === undefined ? {} : { cost_usd: cost }),
});

test('steps are added up, an invocation counts from its start', () => {
  const meter = createUsageMeter(NOTHING);
  meter.add(usage('step', 10, 1));
  meter.add(usage('step', 10, 1));
  meter.newInvocation();
  meter.add(usage('run', 100, 5, 0.5));
  expect(meter.add(usage('run', 150, 8, 0.75))).toEqual({
    input_tokens: 50,
    output_tokens: 3,
    cached_tokens: 0,
    cost_usd: 0.25,
  });
  meter.newInvocation();
  meter.add(usage('run', 100, 5, 0.5));
  expect(meter.total()).toEqual({ input_tokens: 270, output_tokens: 15, cost_usd: 1.25 });
});

test('a conversation is counted once, also over resumes and by a successor', () => {
  const first = createUsageMeter(NOTHING);
  first.add(usage('session', 1000, 50), 's1');
  first.newInvocation();
  first.add(usage('session', 3000, 150), 's1');
  expect(first.total()).toEqual({ input_tokens: 3000, output_tokens: 150, cost_usd: null });
  const second = createUsageMeter(first.total(), first.counted());
  second.add(usage('session', 5000, 250), 's1');
  expect(second.total()).toMatchObject({ input_tokens: 5000, output_tokens: 250 });
  // Another conversation begins at nothing.
  second.add(usage('session', 1000, 50), 's2');
  expect(second.total()).toMatchObject({ input_tokens: 6000, output_tokens: 300 });
});

test('a figure that falls is an agent that counts anew', () => {
  const meter = createUsageMeter(NOTHING, { s1: { input_tokens: 9000, output_tokens: 90, cost_usd: 0 } });
  expect(meter.add(usage('session', 1000, 50), 's1')).toMatchObject({
    input_tokens: 1000,
    output_tokens: 50,
  });
});

test('cost_exceeds: tokens read from the cache are added up, never more than there were', () => {
  const meter = createUsageMeter(NOTHING);
  meter.add({ ...usage('session', 100, 5), cached_tokens: 80 }, 's1');
  expect(meter.add({ ...usage('session', 150, 9), cached_tokens: 999 }, 's1')).toMatchObject({
    input_tokens: 50,
    cached_tokens: 70,
  });
  expect(meter.total()).toMatchObject({ input_tokens: 150, cached_tokens: 150 });
});
