import { expect, test } from 'vitest';
import { predecessorOf } from '../../../../src/core/decide/orders/predecessor-of.ts';
import { only } from '../../../guards/guard-events.ts';
import { startRun } from '../../run-builder.ts';
import { failing } from '../../stuck-runs.ts';

test('E-14: who takes a run over is told who worked before, what was reported and tried, and the question', () => {
  const run = startRun();
  run.turn({ verification: failing() });
  run.beginTurn().askForHelp();
  expect(run.state.predecessor).toBeUndefined();
  const { question } = run.state.escalations[0] ?? {};
  run.say('/continue agent=other');
  expect(run.work.predecessor).toMatchObject({
    agent: 'scripted',
    turns: 1,
    reported: [expect.stringMatching(/^turn 1: /)],
    tried: expect.any(String),
    question: question?.replaceAll(/\s+/g, ' '),
    answer: 'rosa answered /continue agent=other',
  });
});

test('E-14: the same agent has no predecessor', () => {
  const run = startRun({ guards: only({ max_iterations: 1 }) });
  run.turn({ verification: failing() });
  run.say('/continue +3 agent=scripted');
  expect(run.work).toMatchObject({ agent: 'scripted' });
  expect(run.state.predecessor).toBeUndefined();
});

test('E-14: the second to take a run over is told of the one before it, and not of the first as if it were that one', () => {
  const run = startRun();
  run.turn({ verification: failing(), report: { status: 'partial', summary: 'by the first' } });
  run.beginTurn().askForHelp();
  run.say('/continue agent=other');
  run.turn({ verification: failing(), report: { status: 'partial', summary: 'by the second' } });
  expect(run.state.turns.map(({ agent }) => agent)).toEqual(['scripted', 'other']);
  run.beginTurn().askForHelp();
  run.say('/continue agent=scripted');
  expect(run.work.predecessor).toMatchObject({
    agent: 'other',
    turns: 1,
    reported: ['turn 2: by the second'],
  });
});

test('E-14: turns of an older journal, which name no agent, are those of the one that worked', () => {
  const run = startRun({ guards: only({ max_iterations: 1 }) });
  run.turn({ verification: failing() });
  const turns = run.state.turns.map(({ agent: _, ...record }) => record);
  expect(predecessorOf({ ...run.state, turns }, { answer: 'x' })).toMatchObject({
    agent: 'scripted',
    turns: 1,
  });
});

test('E-14: a long report is cut to one line of 500 characters', () => {
  const run = startRun();
  run.turn({ verification: failing(), report: { status: 'partial', summary: 'long\n'.repeat(200) } });
  const { reported } = predecessorOf(run.state, { answer: 'x' });
  expect(reported[0]).toHaveLength(500);
  expect(reported[0]).toMatch(/^turn 1: long long .*…$/);
});
