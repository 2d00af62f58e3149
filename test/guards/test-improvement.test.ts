import { expect, test } from 'vitest';
import type { GuardEvent } from '../../src/core/contracts/guard.ts';
import { metricsOf } from '../../src/guards/observe.ts';
import { noTestImprovementAfter } from '../../src/guards/test-improvement.ts';
import {
  agentChanged,
  baseline,
  check,
  rearmed,
  statesAfter,
  testRun,
  times,
  triggerOf,
  verification,
  verified,
} from './guard-events.ts';

const stalled = (...events: GuardEvent[]) => metricsOf(statesAfter(events)).test_runs_without_improvement;
const run = (passed: number, total = 10) => verified(testRun(passed, total));

test('E-4: improvement is measured against the best, not against the last run', () => {
  expect(stalled(baseline(testRun(5, 10)), run(8), run(5), run(6))).toBe(2);
  expect(stalled(baseline(testRun(5, 10)), run(8), run(5), run(9))).toBe(0);
});

test('E-4: without a baseline the first run is the reference and itself no run', () => {
  expect(stalled(run(6))).toBe(0);
  expect(stalled(run(6), run(6))).toBe(1);
});

test('E-4: a baseline taken again by a later job changes nothing', () => {
  expect(stalled(baseline(testRun(5, 10)), run(8), run(8), baseline(testRun(9, 10)))).toBe(1);
});

test('E-4: counts only while the rate is below 100 %', () => {
  expect(stalled(baseline(testRun(10, 10)), ...times(5, () => run(10)))).toBe(0);
  expect(stalled(baseline(testRun(10, 10)), run(9))).toBe(1);
});

test('E-4: deleting failing tests is no improvement', () => {
  expect(stalled(baseline(testRun(6, 10)), run(6, 7))).toBe(1);
  expect(stalled(baseline(testRun(6, 10)), run(5, 6))).toBe(1);
  // More tests pass, though fewer are there: something was mended.
  expect(stalled(baseline(testRun(6, 10)), run(7, 9))).toBe(0);
  expect(stalled(baseline(testRun(6, 10)), run(8, 12))).toBe(0);
});

test('E-4: the question shows per cent of one total, and counts where the total changed', () => {
  const question = (...events: GuardEvent[]) => {
    const trigger = triggerOf('no_test_improvement_after', events);
    return trigger && noTestImprovementAfter.question(trigger, { turn: 3, max_turns: 10 });
  };
  expect(question(baseline(testRun(6, 10)), run(6), run(6), run(5))).toContain('60%, 60%, 60%, 50%.');
  expect(question(baseline(testRun(6, 10)), run(6), run(6), run(6, 7))).toContain('6/10, 6/10, 6/10, 6/7.');
});

test('E-4: new failing tests that lower the rate are no improvement', () => {
  expect(stalled(baseline(testRun(6, 10)), run(7, 20))).toBe(1);
});

test('E-4: whole checks are counted where no tests are, and a breakdown of the test run is no improvement', () => {
  const checks = (...oks: boolean[]) =>
    verification({ checks: oks.map((ok, index) => check({ ok, command: `check ${index}` })) });
  expect(stalled(baseline(checks(true, false)), verified(checks(true, false)))).toBe(1);
  expect(stalled(baseline(checks(false, false)), verified(checks(true, false)))).toBe(0);
  expect(stalled(baseline(testRun(1, 10)), verified(checks(true, false)))).toBe(1);
  expect(stalled(baseline(checks(true, false)), verified(checks(true, false)), run(2))).toBe(0);
});

test('E-4: a repository without checks has no rate to improve', () => {
  expect(stalled(...times(5, () => verified(verification({ checks: [] }))))).toBe(0);
});

test('E-4: the history keeps its start and stays bounded', () => {
  const events = [baseline(testRun(1, 10)), ...times(200, () => run(1))];
  const rates = triggerOf('no_test_improvement_after', events)?.evidence.pass_rates;
  expect(rates).toHaveLength(50);
  expect(rates?.[0]?.turn).toBe(0);
});

test('G-6: re-armed, it counts from 0 and measures from the last run', () => {
  const events = [baseline(testRun(5, 10)), run(8), run(4), run(4), run(4)];
  expect(stalled(...events, rearmed('loop_detected'))).toBe(3);
  expect(stalled(...events, rearmed('no_test_improvement_after'))).toBe(0);
  expect(stalled(...events, rearmed('no_test_improvement_after'), run(4))).toBe(1);
  expect(stalled(...events, rearmed('no_test_improvement_after'), run(4), run(5))).toBe(0);
});

test('E-14: another agent counts from 0 against the same best', () => {
  const events = [baseline(testRun(5, 10)), run(8), run(4), run(4), agentChanged];
  expect(stalled(...events)).toBe(0);
  expect(stalled(...events, run(5))).toBe(1);
});
