import { expect, test } from 'vitest';
import { agentChanged, baseline, rearmed, testRun, times, triggerOf, verified } from './guard-events.ts';

const runs = (count: number) => times(count, (index) => verified(testRun(index, 50), { turn: index + 1 }));
const trips = (events: Parameters<typeof triggerOf>[1]) => triggerOf('total_verification_attempts', events);

test('E-2: ten verifications in all trip, also when each is better than the last; nine do not', () => {
  expect(trips(runs(9))).toBeUndefined();
  expect(trips(runs(10))).toMatchObject({ kind: 'attempt_count', threshold: 10, observed: 10 });
});

test('E-2: the baseline is no attempt', () => {
  expect(trips([baseline(testRun(0, 50)), ...runs(9)])).toBeUndefined();
});

test('G-6: re-armed or given to another agent, it counts from 0', () => {
  expect(trips([...runs(10), rearmed('total_verification_attempts'), ...runs(9)])).toBeUndefined();
  expect(trips([...runs(10), agentChanged, ...runs(9)])).toBeUndefined();
  expect(trips([...runs(10), rearmed('loop_detected')])?.observed).toBe(10);
});
