import { expect, test } from 'vitest';
import { growLimits } from '../../src/guards/observe.ts';
import { guardById } from '../../src/guards/registry.ts';
import { agentChanged, clock, limits, rearmed, triggerOf } from './guard-events.ts';

test('G-2: sixty minutes of active time trip, a millisecond less does not', () => {
  expect(triggerOf('max_runtime', [{ type: 'clock', active_ms: 60 * 60_000 - 1 }])).toBeUndefined();
  expect(triggerOf('max_runtime', [clock(60)])).toMatchObject({ threshold: 60, observed: 60 });
});

test('G-2: minutes may be given in parts', () => {
  const given = limits({ max_runtime: 0.05 });
  expect(triggerOf('max_runtime', [{ type: 'clock', active_ms: 3_000 }], given)?.threshold).toBe(0.05);
  expect(triggerOf('max_runtime', [{ type: 'clock', active_ms: 2_999 }], given)).toBeUndefined();
});

test('G-6: continue grows the limit by minutes; the time is kept', () => {
  const events = [clock(61), rearmed('max_runtime')];
  expect(triggerOf('max_runtime', events)?.observed).toBe(61);
  const grown = growLimits(limits(), ['max_runtime'], {}, { max_runtime: { observed: 61, evidence: {} } });
  expect(grown.max_runtime).toBe(70);
  expect(triggerOf('max_runtime', events, grown)).toBeUndefined();
  expect(growLimits(limits(), ['max_runtime'], { minutes: 30 }).max_runtime).toBe(90);
  expect(
    growLimits(limits(), ['max_runtime'], { minutes: 5 }, { max_runtime: { observed: 80, evidence: {} } })
      .max_runtime,
  ).toBe(85);
});

test('E-14: another agent has all its time, though the clock goes on', () => {
  expect(triggerOf('max_runtime', [clock(59), agentChanged, clock(118)])).toBeUndefined();
  expect(triggerOf('max_runtime', [clock(59), agentChanged, clock(119)])?.observed).toBe(60);
});

test('G-2: the headline shows whole minutes', () => {
  const trigger = triggerOf('max_runtime', [clock(60.7)]);
  expect(trigger && guardById('max_runtime').headline(trigger, { turn: 7, max_turns: 10 })).toBe(
    '60 of 60 min used, what next?',
  );
});
