import { expect, test } from 'vitest';
import { resolutionFigures } from '../../src/core/analytics.ts';
import type { Escalation } from '../../src/core/contracts/escalation.ts';
import { startRun } from './run-builder.ts';

const MINUTE_MS = 60_000;
const ASKED = Date.UTC(2026, 10, 16, 9);

function question(minutes: number | undefined, type: Escalation['type'] = 'need_help'): Escalation {
  const resolved_at = minutes === undefined ? undefined : new Date(ASKED + minutes * MINUTE_MS).toISOString();
  const responses = resolved_at ? [{ timestamp: resolved_at }] : [];
  return { type, created_at: new Date(ASKED).toISOString(), resolved_at, responses } as Escalation;
}

/** A day later. */
const figuresOf = (escalations: Escalation[]) =>
  resolutionFigures(escalations, new Date(ASKED + 24 * 60 * MINUTE_MS));

test('P-10: how many questions, of which kind, how fast they are answered, and how many in time', () => {
  const figures = figuresOf([
    question(10),
    question(50, 'loop_detected'),
    question(600),
    question(undefined),
  ]);
  expect(figures).toEqual({
    total: 4,
    due: 4,
    resolved: 3,
    resolved_in_time: 2,
    rate: 0.5,
    median_ms: 50 * MINUTE_MS,
    by_type: { need_help: 3, loop_detected: 1 },
  });
});

test.each([
  [[], undefined],
  [[30], 30],
  [[30, 10], 20],
  [[90, 10, 20], 20],
  [[1, 100, 3, 2], 2.5],
])('P-10: the median of %j minutes is %j', (minutes, median) => {
  const { median_ms } = figuresOf(minutes.map((each) => question(each)));
  expect(median_ms).toBe(median === undefined ? undefined : median * MINUTE_MS);
});

test('E-17: a question that expired was not answered, also when a part of the answer was there', () => {
  const run = startRun({ expireMs: 40 * MINUTE_MS })
    .beginTurn()
    .askForHelp([{ key: 'url' }, { key: 'colour' }]);
  run.say('/provide url=x');
  run.sleep(40 * 60).timer();
  expect(run.state.status).toBe('cancelled');
  expect(figuresOf(run.state.escalations)).toMatchObject({ total: 1, resolved: 0, rate: 0 });
});

test.each([
  [59, { total: 2, due: 1, resolved_in_time: 1, rate: 1 }],
  [60, { total: 2, due: 2, resolved_in_time: 1, rate: 0.5 }],
])('E-17: a question that is open for %i minutes', (minutes, figures) => {
  const now = new Date(ASKED + minutes * MINUTE_MS);
  expect(resolutionFigures([question(10), question(undefined)], now)).toMatchObject(figures);
});
