import { expect, test } from 'vitest';
import type { GuardLimits } from '../../src/core/contracts/guard.ts';
import { growLimits } from '../../src/guards/observe.ts';
import { agentChanged, limits, rearmed, times, triggerOf, turnEnded } from './guard-events.ts';

const turns = (count: number) => times(count, (index) => turnEnded(index + 1));
const trips = (count: number, given = limits()) => triggerOf('max_iterations', turns(count), given);

test('G-1: ten turns trip, nine do not', () => {
  expect(trips(9)).toBeUndefined();
  expect(trips(10)).toEqual({
    guard: 'max_iterations',
    kind: 'attempt_count',
    threshold: 10,
    observed: 10,
    evidence: {},
  });
});

test('G-8: a debugging turn is not counted', () => {
  expect(triggerOf('max_iterations', [...turns(9), turnEnded(10, { counted: false })])).toBeUndefined();
});

test('G-6: continue grows the limit; the count is kept', () => {
  const grown = growLimits(limits(), ['max_iterations'], {});
  expect(grown.max_iterations).toBe(15);
  expect(growLimits(limits(), ['max_iterations'], { turns: 2 }).max_iterations).toBe(12);
  expect(triggerOf('max_iterations', [...turns(10), rearmed('max_iterations')], grown)).toBeUndefined();
  expect(triggerOf('max_iterations', [...turns(10), rearmed('max_iterations')])?.observed).toBe(10);
  expect(trips(15, grown)?.threshold).toBe(15);
});

test('G-6: a limit passed by far grows past what was observed', () => {
  const grown = growLimits(
    limits({ max_iterations: 3 }),
    ['max_iterations'],
    { turns: 2 },
    { max_iterations: { observed: 9, evidence: {} } },
  );
  expect(grown.max_iterations).toBe(11);
});

test('G-6: only the guards listed and the limits named grow, and off stays off', () => {
  const given = limits({ max_iterations: 'off' });
  expect(growLimits(given, ['max_iterations'], { turns: 5 })).toEqual(given);
  expect(growLimits(limits(), ['loop_detected'], {})).toEqual(limits());
  expect(growLimits(limits(), ['loop_detected'], { turns: 5 })).toEqual(limits({ max_iterations: 15 }));
});

test('G-1: limits journaled before a guard existed leave it its default', () => {
  const { max_iterations: _, ...older } = limits();
  expect(trips(9, older as GuardLimits)).toBeUndefined();
  expect(trips(10, older as GuardLimits)?.threshold).toBe(10);
  expect(growLimits(older as GuardLimits, ['max_iterations'], {}).max_iterations).toBe(15);
});

test('E-14: another agent has all its turns', () => {
  expect(triggerOf('max_iterations', [...turns(10), agentChanged])).toBeUndefined();
});
