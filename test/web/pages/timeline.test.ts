import { expect, test } from 'vitest';
import { type RunSummary, summariseRun } from '../../../src/core/contracts/run-summary.ts';
import { renderTimeline } from '../../../src/web/pages/timeline.ts';
import { startRun } from '../../core/run-builder.ts';

const START = Date.UTC(2026, 10, 16, 9, 0, 0);
const at = (second: number) => new Date(START + second * 1000).toISOString();

test('P-6: the timeline of a long run draws its newest turns, and stays small', () => {
  const run = startRun();
  const spans = Array.from({ length: 200 }, (_, index) => ({
    ...{ kind: 'turn' as const, turn: index + 1, passed: 3, total: 5 },
    ...{ from: at(index * 10), to: at(index * 10 + 9) },
  }));
  const summary: RunSummary = { ...summariseRun(undefined, run.state, run.events), spans };
  const drawn = String(renderTimeline(summary, new Date(START + 3_600_000)));
  expect(drawn).toContain('Turn 200,');
  expect(drawn).not.toContain('Turn 100,');
  expect(drawn.length).toBeLessThan(25_000);
});
