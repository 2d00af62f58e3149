import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HelpRequest } from '../../src/core/contracts/agent/help-request.ts';
import type { GuardEvent, GuardId, GuardStates, Trigger } from '../../src/core/contracts/guard.ts';
import { initialStates, observe, readStates, tripped } from '../../src/guards/observe.ts';
import { GUARDS, guardById } from '../../src/guards/registry.ts';
import { tripsOfEveryGuard } from './every-guard.ts';
import {
  action,
  agentChanged,
  baseline,
  changed,
  check,
  clock,
  error,
  failed,
  limits,
  only,
  proposed,
  rearmed,
  statesAfter,
  testRun,
  times,
  triggersAfter,
  turnEnded,
  turnStarted,
  usage,
  verification,
  verified,
} from './guard-events.ts';
import { reported } from './reported.ts';

const GUARD_IDS = GUARDS.map(({ id }) => id);
const isPastTheGate = ({ evidence: { proposed = [] } }: Trigger) =>
  proposed.length > 0 && proposed.every(({ why }) => why === 'gate_bypassed');

const RUNS = { numRuns: 300 };

/** Any event with few different names in it, so that they meet. */
const anyEvent: fc.Arbitrary<GuardEvent> = (() => {
  const name = fc.constantFrom('a', 'b', '__proto__');
  const turn = fc.integer({ min: 1, max: 9 });
  const errors = fc.array(
    name.map((message) => error(message)),
    { maxLength: 3 },
  );
  const blocker = fc.constantFrom(
    undefined,
    undefined,
    { kind: 'api_unavailable' as const, endpoint: 'x.example', transient: true },
    { kind: 'missing_dependency' as const, name: 'lodash' },
  );
  const result = fc.oneof(
    fc.tuple(fc.nat(5), fc.nat(5)).map(([passed, failing]) => testRun(passed, passed + failing)),
    fc
      .array(fc.record({ command: name, ok: fc.boolean(), errors, blocker }), { maxLength: 3 })
      .map((checks) => verification({ checks: checks.map((each) => check(each)) })),
  );
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .record({
          turn,
          kind: fc.constantFrom('edit', 'command', 'read', 'search', 'other'),
          title: name,
          operation: name,
          ok: fc.boolean(),
          refused: fc.boolean(),
          is_check: fc.boolean(),
          errors,
          blocker,
        })
        .map(action),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(result, turn, name)
        .map(([of, at, signature]) => verified(of, { turn: at, signature })),
    },
    result.map(baseline),
    fc.tuple(turn, fc.boolean()).map(([at, counted]) => turnStarted(at, counted)),
    fc.tuple(turn, fc.boolean()).map(([at, counted]) => turnEnded(at, { counted })),
    fc.array(name).map((paths) => changed(...paths)),
    fc
      .tuple(name, fc.constantFrom('file_limit', 'out_of_scope', 'gate_bypassed'), fc.array(name))
      .map(([path, why, files]) => proposed(path, why, files, ['src/**'])),
    fc.nat(30).map((minutes) => clock(minutes)),
    fc.tuple(fc.nat(100), fc.nat(100)).map(([cents, tokens]) => usage(cents / 100, tokens, tokens)),
    fc.constantFrom<GuardEvent>(
      { type: 'help_requested', turn: 1, help: HelpRequest.parse({ what_i_tried: 'a', what_i_need: 'b' }) },
      { type: 'help_requested', turn: 1, raw: 'x', problem: 'y' },
      reported({ status: 'blocked' }),
      reported({ status: 'implemented' }),
      reported({ status: 'failed', errors: [{ type: 'missing_dependency', message: '`x`' }] }),
    ),
    fc.subarray([...GUARD_IDS]).map((guards) => rearmed(...guards)),
    fc.constant(agentChanged),
  );
})();

const journal = fc.array(anyEvent, { maxLength: 60 });
const everyGuardOn = limits({
  cost_exceeds: { tokens: 200 },
  loop_detected: 2,
  max_iterations: 3,
  max_runtime: 20,
});

test('E-15: success and progress never trip, whatever their order', () => {
  const good = fc.array(
    fc.oneof(
      fc
        .tuple(fc.constantFrom('edit', 'command', 'other'), fc.nat(3))
        .map(([kind, index]) => action({ kind, operation: `operation ${index}` })),
      fc.boolean().map((ok) => action({ kind: 'read', ok })),
      fc.boolean().map((ok) => action({ kind: 'search', ok })),
      fc.nat(19).map((index) => changed(`src/${index}.ts`)),
    ),
    { maxLength: 30 },
  );
  // Up to nine turns, each with at least one changed file and a better result than any before.
  const turns = fc
    .array(good, { maxLength: 9 })
    .map((actions) => [
      baseline(testRun(0, 10)),
      ...actions.flatMap((events, index) => [
        turnStarted(index + 1),
        ...events,
        changed('src/0.ts'),
        clock(index + 1),
        verified(testRun(index + 1, 10), { turn: index + 1, signature: `test-fail:${9 - index}` }),
        reported({ status: 'partial' }),
        turnEnded(index + 1),
      ]),
    ]);
  fc.assert(
    fc.property(turns, (events) => {
      let states = initialStates();
      for (const event of events) {
        states = observe(states, event);
        expect(tripped(states, limits())).toEqual([]);
      }
    }),
    RUNS,
  );
});

/** One step towards each threshold, the same in kind every time. */
const STEPS: Partial<Record<GuardId, (index: number) => GuardEvent>> = {
  same_error_repeated: () => failed([error('boom')]),
  consecutive_errors: (index) => action({ operation: `o${index}`, ok: false, errors: [error(`e${index}`)] }),
  loop_detected: (index) => verified(testRun(1, 2), { turn: index, signature: 'same' }),
  no_test_improvement_after: () => verified(testRun(1, 2)),
  no_file_changes_after_attempts: () => action({ ok: false }),
  total_verification_attempts: () => verified(testRun(2, 2)),
  max_iterations: (index) => turnEnded(index + 1),
  max_runtime: (index) => clock(index + 1),
  cost_exceeds: () => usage(1),
};
const stepping = Object.keys(STEPS) as GuardId[];
const steps = (guard: GuardId, count: number) =>
  times(count, (index) => STEPS[guard]?.(index) ?? agentChanged);
const start = baseline(testRun(1, 2));

test.each(stepping)('E-1: %s trips at exactly its threshold, whatever that is', (guard) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), (threshold) => {
      const given = only({ [guard]: threshold });
      expect(triggersAfter([start, ...steps(guard, threshold - 1)], given)).toEqual([]);
      expect(triggersAfter([start, ...steps(guard, threshold)], given)).toMatchObject([
        { guard, threshold, observed: threshold },
      ]);
    }),
    { numRuns: 40 },
  );
});

/** What sets a count back to 0, by guard. The limits that grow have nothing but another agent. */
const RESETS: [GuardId, GuardEvent][] = [
  ['same_error_repeated', action({ operation: 'npm test' })],
  ['same_error_repeated', verified(verification())],
  ['same_error_repeated', failed([error('another')])],
  ['consecutive_errors', action({ operation: 'o0' })],
  ['consecutive_errors', verified(testRun(2, 2))],
  ['loop_detected', verified(testRun(1, 2), { signature: 'another' })],
  ['loop_detected', verified(testRun(2, 2), { signature: 'pass' })],
  ['no_test_improvement_after', verified(testRun(2, 3))],
  ['no_file_changes_after_attempts', changed('src/a.ts')],
  ...stepping
    .filter((guard) => !['max_iterations', 'max_runtime', 'cost_exceeds'].includes(guard))
    .map((guard): [GuardId, GuardEvent] => [guard, rearmed(guard)]),
  ...stepping
    .filter((guard) => guard !== 'max_runtime')
    .map((guard): [GuardId, GuardEvent] => [guard, agentChanged]),
];

test.each(RESETS)('E-3: %s is set back by %j', (guard, reset) => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 20 }), fc.integer({ min: 1, max: 19 }), (threshold, before) => {
      const given = only({ [guard]: threshold });
      const counted = steps(guard, Math.min(before, threshold - 1));
      const almost = [start, ...counted, reset, ...steps(guard, threshold - 1)];
      expect(triggersAfter(almost, given)).toEqual([]);
    }),
    { numRuns: 40 },
  );
});

test('E-17: a journal read back trips the same guards, wherever its state was saved', () => {
  fc.assert(
    fc.property(journal, fc.nat(60), (events, cut) => {
      let live = initialStates();
      let replayed: GuardStates = {};
      for (const [index, event] of events.entries()) {
        live = observe(live, event);
        replayed = observe(replayed, JSON.parse(JSON.stringify(event)) as GuardEvent);
        if (index === cut) replayed = JSON.parse(JSON.stringify(replayed)) as GuardStates;
        expect(JSON.stringify(tripped(replayed, everyGuardOn))).toBe(
          JSON.stringify(tripped(live, everyGuardOn)),
        );
      }
      expect(JSON.parse(JSON.stringify(live))).toEqual(live);
      expect(readStates(live)).toEqual({ states: live, unreadable: [] });
    }),
    RUNS,
  );
});

test('E-17: observing leaves the state it was given as it was', () => {
  fc.assert(
    fc.property(journal, anyEvent, (events, next) => {
      const states = statesAfter(events);
      const before = JSON.stringify(states);
      observe(states, next);
      expect(JSON.stringify(states)).toBe(before);
    }),
    RUNS,
  );
});

test('E-15: a guard that is off never trips, but for an edit past the gate', () => {
  fc.assert(
    fc.property(journal, fc.subarray([...GUARD_IDS]), (events, off) => {
      const given = { ...everyGuardOn, ...Object.fromEntries(off.map((guard) => [guard, 'off'])) };
      const guards = triggersAfter(events, given)
        .filter((trigger) => !(off.includes(trigger.guard) && isPastTheGate(trigger)))
        .map((trigger) => trigger.guard);
      expect(guards.filter((guard) => off.includes(guard))).toEqual([]);
      // The others are not touched by it.
      const all = triggersAfter(events, everyGuardOn).map((trigger) => trigger.guard);
      expect(guards).toEqual(all.filter((guard) => !off.includes(guard)));
    }),
    RUNS,
  );
  for (const { events } of tripsOfEveryGuard()) expect(triggersAfter(events, only({}))).toEqual([]);
});

test('G-6: re-arming a guard leaves every other as it was', () => {
  fc.assert(
    fc.property(journal, fc.constantFrom(...GUARD_IDS), (events, guard) => {
      const { [guard]: _, ...before } = statesAfter(events);
      const { [guard]: __, ...after } = statesAfter([...events, rearmed(guard)]);
      expect(after).toEqual(before);
    }),
    RUNS,
  );
});

test('E-14: another agent starts with nothing tripped', () => {
  fc.assert(
    fc.property(journal, (events) => {
      expect(triggersAfter([...events, agentChanged], everyGuardOn)).toEqual([]);
    }),
    RUNS,
  );
});

test('G-13: whatever trips can be put into words', () => {
  fc.assert(
    fc.property(journal, (events) => {
      for (const trigger of triggersAfter(events, everyGuardOn)) {
        const guard = guardById(trigger.guard);
        const progress = { turn: 1, max_turns: 10 };
        expect(guard.headline(trigger, progress).length).toBeLessThanOrEqual(80);
        expect(guard.question(trigger, progress)).toMatch(/How to proceed\?$/);
        expect(guard.options(trigger, progress).map((option) => option.id)).toContain('review');
      }
    }),
    RUNS,
  );
});
