import { expect, test } from 'vitest';
import { guardById } from '../../src/guards/registry.ts';
import { agentChanged, limits, rearmed, times, triggerOf, usage } from './guard-events.ts';

const trips = (config: unknown, events: Parameters<typeof triggerOf>[1]) =>
  triggerOf('cost_exceeds', events, limits({ cost_exceeds: config }));

test('cost_exceeds: off unless it is asked for', () => {
  expect(triggerOf('cost_exceeds', [usage(1e9, 1e12)])).toBeUndefined();
});

test('cost_exceeds: dollars add up exactly', () => {
  expect(
    trips(
      1,
      times(9, () => usage(0.1)),
    ),
  ).toBeUndefined();
  const trigger = trips(
    { dollars: 1 },
    times(10, () => usage(0.1)),
  );
  expect(trigger).toMatchObject({ threshold: 1, observed: 1, evidence: { unit: 'dollars' } });
  expect(trigger && guardById('cost_exceeds').headline(trigger, { turn: 1, max_turns: 10 })).toBe(
    '$1.00 of $1.00 spent, choose how to go on',
  );
});

test('cost_exceeds: tokens in and out add up', () => {
  expect(trips({ tokens: 100 }, [usage(0, 60, 39)])).toBeUndefined();
  const trigger = trips({ tokens: 100 }, [usage(0, 60, 40)]);
  expect(trigger && guardById('cost_exceeds').headline(trigger, { turn: 1, max_turns: 10 })).toBe(
    '100 of 100 tokens spent, choose how to go on',
  );
});

test('G-6: re-armed or given to another agent, cost counts from 0', () => {
  expect(trips(1, [usage(1), rearmed('cost_exceeds'), usage(0.9)])).toBeUndefined();
  expect(trips(1, [usage(1), agentChanged, usage(0.9)])).toBeUndefined();
  expect(trips(1, [usage(1), rearmed('max_runtime')])).toBeDefined();
});
