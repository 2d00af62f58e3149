import { expect, test } from 'vitest';
import { type RunSummary, summariseRun } from '../../../src/core/contracts/run-summary.ts';
import { renderTimeline } from '../../../src/web/pages/timeline.ts';
import { PASSING, startRun } from '../../core/run-builder.ts';

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

test('P-6: a turn has its files and its cost, in the picture and in words', () => {
  const run = startRun();
  const turn = (index: number) => ({
    ...{ kind: 'turn' as const, turn: index, files: index + 1, cost_usd: index / 4 },
    ...{ from: at(index * 100), to: at(index * 100 + 90) },
  });
  const summary: RunSummary = {
    ...summariseRun(undefined, run.state, run.events),
    spans: [turn(1), turn(2)],
  };
  const drawn = String(renderTimeline(summary, new Date(START + 300_000)));
  expect(drawn).toContain('>$0.25</text>');
  expect(drawn).toContain('3 files changed. Cost by turn: $0.25, $0.50.');
  expect(drawn).toContain('3 files changed so far, $0.50</title>');
});

test('P-6: a turn that ended is kept with its files and its cost', () => {
  const run = startRun().beginTurn();
  run.observe({ type: 'files_changed', turn: 1, paths: ['src/a.ts'] });
  run.endTurn({ record: { turn_cost_usd: 0.28 } });
  const { spans } = summariseRun(undefined, run.state, run.events);
  expect(spans).toContainEqual(expect.objectContaining({ kind: 'turn', files: 1, cost_usd: 0.28 }));
});

test('V-8: a round begins after a rest, with checks of its own, and a long rest does not fill the picture', () => {
  const run = startRun().beginTurn().sleep(600);
  run.endTurn({ report: { status: 'implemented' }, verification: PASSING });
  run.feed({ type: 'revision_asked', at: run.now(), by: 'hubert', source: 'review' });
  run.sleep(30 * 24 * 3_600);
  run.feed({
    type: 'revise',
    at: run.now(),
    revision: { head: 'a'.repeat(40), remarks: [{ id: 'R1', author: 'hubert', text: 'Why?' }] },
    limits: run.state.limits,
    max: 10,
  });
  run.startJob().baseline(PASSING).beginTurn();
  const summary = summariseRun(undefined, run.state, run.events);
  expect(summary.spans.map(({ kind, round }) => [kind, round])).toEqual([
    ['baseline', undefined],
    ['turn', undefined],
    ['rest', 2],
    ['baseline', 2],
    ['turn', undefined],
  ]);
  const drawn = String(renderTimeline(summary, new Date(run.now())));
  expect(drawn).toContain('Ready, then round 2');
  // The word on the wait says how long it was. The round begins after it.
  expect(drawn).toContain('>ready 30 days</text>');
  expect(drawn).not.toContain('>round 2</text><');
  expect(drawn).toMatch(/before round 2, [^<]*<\/title><rect [^>]*class="baseline"/);
  expect(drawn).toContain('1 more round.');
  const widths = [...drawn.matchAll(/width="([\d.]+)"[^>]*class="(\w+)"/g)].map(([, width]) => Number(width));
  expect(Math.max(...widths)).toBeLessThan(500);
});

test('P-6: while people are asked why no job works, none runs', () => {
  const run = startRun().beginTurn();
  for (let lost = 1; lost < 3; lost += 1) run.lose().startJob().beginTurn();
  run.lose();
  const { spans } = summariseRun(undefined, run.state, run.events);
  expect(spans.filter(({ to }) => to === undefined)).toEqual([
    { kind: 'parked', from: run.asked.created_at },
  ]);
  run.say('/continue');
  const resumed = summariseRun(undefined, run.startJob().state, run.events);
  expect(resumed.spans.at(-1)).toMatchObject({ kind: 'parked', to: expect.any(String) });
});

test('P-6: the wait that began when the job parked goes on while people are asked about jobs', () => {
  const run = startRun().beginTurn();
  for (let job = 1; job < 10; job += 1) run.park().startJob();
  const { spans } = summariseRun(undefined, run.park().state, run.events);
  expect(run.asked.triggers).toMatchObject([{ guard: 'idle_jobs' }]);
  expect(spans.filter(({ to }) => to === undefined)).toMatchObject([{ kind: 'parked' }]);
});
