import { expect, test } from 'vitest';
import { ESCALATION_TYPES, GuardId, RunLimit, Trigger } from '../../src/core/contracts/guard.ts';
import { growLimits } from '../../src/guards/observe.ts';
import { GUARDS, guardById } from '../../src/guards/registry.ts';
import { tripsOfEveryGuard } from './every-guard.ts';
import { limits, only, rearmed, triggersAfter } from './guard-events.ts';

test('E-8: each guard has an id of its own, as the records take it', () => {
  const ids = GUARDS.map((guard) => guard.id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(GuardId.parse(id)).toBe(id);
  expect(ids.map((id) => guardById(id).id)).toEqual(ids);
});

test('G-13: each limit of the run has one guard', () => {
  const owned = GUARDS.flatMap(({ runLimit }) => runLimit ?? []);
  expect(owned.toSorted()).toEqual(RunLimit.options.toSorted());
});

test('G-13: each guard has a header of its own, the specified ones as specified', () => {
  expect(new Set(GUARDS.map((guard) => guard.header)).size).toBe(GUARDS.length);
  expect(Object.fromEntries(GUARDS.map((guard) => [guard.id, guard.header]))).toMatchObject({
    external_blocker: 'External Blocker',
    need_help: 'Help Needed',
    review_required: 'Review Required',
    files_modified_exceeds: 'File Limit',
    spec_deviation_detected: 'Outside the Scope',
    same_error_repeated: 'Repeated Error',
    loop_detected: 'Loop Detected',
    no_test_improvement_after: 'No Test Improvement',
    no_file_changes_after_attempts: 'No File Changes',
    consecutive_errors: 'Error Threshold',
    cost_exceeds: 'Cost Limit',
    total_verification_attempts: 'Verification Limit',
    max_runtime: 'Runtime Limit',
    max_iterations: 'Iteration Limit',
  });
});

test('E-19: every escalation type has a guard that raises it', () => {
  expect(new Set(GUARDS.map((guard) => guard.type))).toEqual(new Set(ESCALATION_TYPES));
});

test.each(tripsOfEveryGuard())(
  'E-18: $guard trips with its kind, and its trigger is a valid record',
  ({ guard, events, limit }) => {
    const [trigger, ...others] = triggersAfter(events, only({ [guard]: limit }));
    expect(others).toEqual([]);
    expect(trigger?.guard).toBe(guard);
    expect(trigger?.kind).toBe(guardById(guard).kind);
    // Unknown keys are stripped by the schema: equality proves that there is none.
    expect(Trigger.parse(trigger)).toEqual(trigger);
  },
);

test.each(tripsOfEveryGuard())(
  'G-6: $guard does not trip again on what an answer has settled',
  ({ guard, events, limit }) => {
    const before = only({ [guard]: limit });
    const [trigger] = triggersAfter(events, before);
    const after = growLimits(before, [guard], {}, { [guard]: trigger });
    expect(triggersAfter([...events, rearmed(guard)], after)).toEqual([]);
  },
);

test.each(tripsOfEveryGuard())(
  'G-6: $guard still trips after an answer to other guards',
  ({ guard, events, limit }) => {
    const others = GUARDS.map(({ id }) => id).filter((id) => id !== guard);
    const before = only({ [guard]: limit });
    const after = growLimits(before, others, {});
    expect(triggersAfter([...events, rearmed(...others)], after)).toHaveLength(1);
  },
);

test('E-18: every guard is there to trip', () => {
  expect(tripsOfEveryGuard().map(({ guard }) => guard)).toEqual(Object.keys(limits()));
});
