import { expect, test } from 'vitest';
import { growLimits } from '../../src/guards/observe.ts';
import { guardById } from '../../src/guards/registry.ts';
import { agentChanged, limits, rearmed, times, triggerOf, usage } from './guard-events.ts';

const trips = (config: unknown, events: Parameters<typeof triggerOf>[1]) =>
  triggerOf('cost_exceeds', events, limits({ cost_exceeds: config }));

test('cost_exceeds: 10 dollars by default, where the agent reports money', () => {
  expect(triggerOf('cost_exceeds', [usage(9.99, 1e12)])).toBeUndefined();
  expect(triggerOf('cost_exceeds', [usage(10)])).toMatchObject({
    threshold: 10,
    evidence: { unit: 'dollars' },
  });
});

test('cost_exceeds: 5 million tokens by default, where it does not; cached reads are not counted', () => {
  expect(triggerOf('cost_exceeds', [usage(0, 4e6, 999_999)])).toBeUndefined();
  expect(triggerOf('cost_exceeds', [usage(0, 9e6, 1e6, 5_000_001)])).toBeUndefined();
  const trigger = triggerOf('cost_exceeds', [usage(0, 9e6, 1e6, 5_000_000)]);
  expect(trigger).toMatchObject({ threshold: 5e6, observed: 5e6, evidence: { unit: 'tokens' } });
});

test('cost_exceeds: a number of dollars keeps the limit of agents that report none', () => {
  expect(trips(2, [usage(0, 5e6)])).toMatchObject({ threshold: 5e6 });
  expect(trips({ dollars: 2 }, [usage(0, 5e6)])).toBeUndefined();
  expect(trips('off', [usage(1e9, 1e12)])).toBeUndefined();
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
    '$1.00 of $1.00 spent, what next?',
  );
});

test('cost_exceeds: tokens in and out add up', () => {
  expect(trips({ tokens: 100 }, [usage(0, 60, 39)])).toBeUndefined();
  const trigger = trips({ tokens: 100 }, [usage(0, 60, 40)]);
  expect(trigger && guardById('cost_exceeds').headline(trigger, { turn: 1, max_turns: 10 })).toBe(
    '100 of 100 tokens spent, what next?',
  );
});

test('G-6: an answer allows as much again, in the unit that was reached, and says so', () => {
  const given = limits({ cost_exceeds: { dollars: 2, tokens: 100 } });
  const trigger = triggerOf('cost_exceeds', [usage(2.5)], given);
  const progress = { turn: 1, max_turns: 10 };
  const [first] = trigger ? guardById('cost_exceeds').options(trigger, progress) : [];
  expect(first).toMatchObject({ command: '/continue', description: 'allow another $2.00.' });
  const grown = growLimits(given, ['cost_exceeds'], {}, { cost_exceeds: trigger });
  expect(grown.cost_exceeds).toMatchObject({ dollars: 4, tokens: 100 });
  expect(triggerOf('cost_exceeds', [usage(3.99)], grown)).toBeUndefined();
  // One long turn may spend more than the answer allowed.
  const second = triggerOf('cost_exceeds', [usage(7)], grown);
  expect(second).toMatchObject({ threshold: 4, evidence: { step: 2 } });
  const again = growLimits(grown, ['cost_exceeds'], {}, { cost_exceeds: second });
  expect(again.cost_exceeds).toMatchObject({ dollars: 9, tokens: 100 });
});

test('E-14: given to another agent, cost counts from 0', () => {
  expect(trips(1, [usage(1), agentChanged, usage(0.9)])).toBeUndefined();
  expect(trips(1, [usage(1), rearmed('max_runtime')])).toBeDefined();
});
