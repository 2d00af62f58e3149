import { expect, test } from 'vitest';
import { PASSING, startRun } from '../../run-builder.ts';

const reached = { type: 'budget_reached', month: '2026-11', dollars: 50.25, most: 50 } as const;

test('limits.monthly_dollars: a run that works pauses, and continued it is not asked again in that month', () => {
  const run = startRun().turn();
  const { effects } = run.feed({ ...reached, at: run.now() });
  expect(run.state).toMatchObject({ status: 'waiting_for_input', paused: { over_budget: '2026-11' } });
  expect(effects).toContainEqual(
    expect.objectContaining({
      type: 'reply',
      reply: expect.objectContaining({ title: expect.stringContaining('$50.25 in 2026-11') }),
    }),
  );
  run.say('/continue');
  expect(run.feed({ ...reached, at: run.now() }).events).toEqual([]);
  expect(run.feed({ ...reached, month: '2026-12', at: run.now() }).events).not.toEqual([]);
});

test('limits.monthly_dollars: a question and a verification are left alone', () => {
  const asking = startRun().beginTurn().askForHelp();
  expect(asking.feed({ ...reached, at: asking.now() }).events).toEqual([]);
  const verifying = startRun({ freshVerification: true });
  verifying.turn({ report: { status: 'implemented', summary: 'x' }, verification: PASSING });
  expect(verifying.state.verifying).toBeDefined();
  expect(verifying.feed({ ...reached, at: verifying.now() }).events).toEqual([]);
});
