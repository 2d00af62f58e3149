import { expect, test } from 'vitest';
import { newsSince, toldBy } from '../../src/agents/told.ts';
import type { TurnContext } from '../../src/agents/turn-context.ts';

const CONTEXT: TurnContext = {
  task_id: 'issue-7',
  turn: 3,
  max_turns: 10,
  approaching_limit: false,
  kind: 'normal',
  resumed: false,
  scope: ['src/**'],
  max_files: 20,
  files_so_far: 2,
  checks: ['npm test'],
  inputs: ['url'],
  answers: ['Use tabs', 'Find the root cause'],
  new_answers: true,
  known_issues: ['logs out'],
  handoff_path: 'HANDOFF.md',
  predecessor: null,
  earlier: [{ turn: 2, agent: 'claude', said: 'Began' }],
  round: null,
  stray_help: [],
};

const told = toldBy(CONTEXT, undefined);

test('P-7: a conversation is told again nothing that it has', () => {
  expect(newsSince(told, { ...CONTEXT, turn: 4 })).toMatchObject({
    scope: null,
    max_files: null,
    inputs: [],
    answers: [],
    known_issues: [],
    handoff_path: null,
    predecessor: null,
    earlier: [],
  });
});

test('P-7: answers are compared from the front: words given twice are two answers, and one that was withdrawn hides none', () => {
  const answers = (...list: string[]) => newsSince(told, { ...CONTEXT, answers: list }).answers;
  expect(answers('Use tabs', 'Find the root cause', 'Use tabs')).toEqual(['Use tabs']);
  expect(answers('Use tabs', 'Keep it small')).toEqual(['Keep it small']);
  expect(answers('Use tabs')).toEqual([]);
});

test('E-14: an agent that comes back hears what the other one did since', () => {
  const predecessor = { agent: 'codex', turns: 1, reported: [] };
  const theirs = { turn: 4, agent: 'codex', said: 'Tried it' };
  const earlier = [...CONTEXT.earlier, { turn: 3, agent: 'claude', said: 'Its own' }, theirs];
  const news = newsSince(told, { ...CONTEXT, turn: 5, predecessor, earlier, files_so_far: 6 });
  expect(news).toMatchObject({ predecessor, earlier: [theirs], handoff_path: 'HANDOFF.md', max_files: 20 });
});
