import { expect, test } from 'vitest';
import type { GuardEvent } from '../../src/core/contracts/guard.ts';
import { metricsOf } from '../../src/guards/observe.ts';
import {
  action,
  agentChanged,
  changed,
  error,
  limits,
  rearmed,
  statesAfter,
  times,
  triggerOf,
  turnEnded,
  turnStarted,
} from './guard-events.ts';

const attempts = (...events: GuardEvent[]) => metricsOf(statesAfter(events)).attempts_without_file_change;
const edit = (parts: object) => action({ kind: 'edit', operation: 'edit a.ts', ...parts });

test('E-3: an attempt is a failed or refused edit, a command that exits non-zero, or a run of a check', () => {
  expect(attempts(edit({ ok: false }))).toBe(1);
  expect(attempts(edit({ ok: false, refused: true }))).toBe(1);
  expect(attempts(action({ ok: false }))).toBe(1);
  expect(attempts(action({ ok: true, is_check: true }))).toBe(1);
  expect(attempts(action({ ok: false, is_check: true }))).toBe(1);
  expect(attempts(action({ ok: true }))).toBe(0);
});

test('E-3: reading and searching are no attempts: an agent that explores is not stuck', () => {
  const exploring = times(100, (index) => action({ kind: index % 2 ? 'read' : 'search', ok: index % 3 > 0 }));
  expect(attempts(...exploring)).toBe(0);
});

test('E-3: a turn counts only if nothing inside it did', () => {
  expect(attempts(turnStarted(1), action({ kind: 'read' }), turnEnded(1))).toBe(1);
  expect(attempts(turnStarted(1), action({ ok: false }), turnEnded(1))).toBe(1);
  const evidence = triggerOf(
    'no_file_changes_after_attempts',
    times(5, (turn) => [turnStarted(turn), turnEnded(turn, { title: `thought ${turn}` })]).flat(),
  )?.evidence;
  expect(evidence?.attempts?.map((attempt) => attempt.title)).toEqual(times(5, (turn) => `thought ${turn}`));
});

test('E-3: a turn that changed a file does not count when it ends', () => {
  expect(attempts(turnStarted(1), changed('a.ts'), turnEnded(1))).toBe(0);
  // Nor does a turn whose change came before a failing command, which itself does.
  expect(attempts(turnStarted(1), changed('a.ts'), action({ ok: false }), turnEnded(1))).toBe(1);
  expect(attempts(turnStarted(1), changed('a.ts'), turnEnded(1), turnStarted(2), turnEnded(2))).toBe(1);
});

test('E-3: the list of changed files, empty, is no change', () => {
  expect(attempts(action({ ok: false }), changed())).toBe(1);
});

test('E-3: five tool calls without a file change trip under the unit tool_call', () => {
  const given = limits({ no_file_changes_after_attempts: { threshold: 5, unit: 'tool_call' } });
  const reads = times(5, (index) => action({ kind: 'read', title: `read ${index}` }));
  expect(triggerOf('no_file_changes_after_attempts', reads.slice(0, 4), given)).toBeUndefined();
  const trigger = triggerOf('no_file_changes_after_attempts', reads, given);
  expect(trigger).toMatchObject({ threshold: 5, observed: 5, evidence: { unit: 'tool_call' } });
  expect(trigger?.evidence.attempts).toHaveLength(5);
  expect(triggerOf('no_file_changes_after_attempts', [...reads, changed('a')], given)).toBeUndefined();
});

test('E-3: under the unit turn only turns count', () => {
  const given = limits({ no_file_changes_after_attempts: { threshold: 2, unit: 'turn' } });
  const turn = (index: number) => [turnStarted(index), action({ ok: false }), turnEnded(index)];
  expect(
    triggerOf('no_file_changes_after_attempts', [...turn(1), action({ ok: false })], given),
  ).toBeUndefined();
  expect(triggerOf('no_file_changes_after_attempts', [...turn(1), ...turn(2)], given)?.observed).toBe(2);
});

test('E-3: a debugging turn, told to change nothing, is no attempt', () => {
  expect(
    attempts(turnStarted(1, false), action({ ok: false, is_check: true }), turnEnded(1, { counted: false })),
  ).toBe(0);
  expect(attempts(turnEnded(1, { counted: false }), action({ ok: false }))).toBe(1);
});

test('E-3: the summary says what came of each attempt', () => {
  const trigger = triggerOf('no_file_changes_after_attempts', [
    edit({ ok: false, refused: true }),
    action({ ok: true, is_check: true }),
    ...times(3, () => action({ ok: false, errors: [error('boom')] })),
  ]);
  expect(trigger?.evidence.attempts?.map(({ ok, result }) => [ok, result])).toEqual([
    [false, 'refused'],
    [true, 'ok'],
    ...times(3, () => [false, 'boom']),
  ]);
});

test('G-6: re-arming and another agent count from 0', () => {
  const four = times(4, () => action({ ok: false }));
  expect(attempts(...four, rearmed('max_iterations'))).toBe(4);
  expect(attempts(...four, rearmed('no_file_changes_after_attempts'))).toBe(0);
  expect(attempts(...four, agentChanged)).toBe(0);
});
