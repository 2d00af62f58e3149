import { expect, test } from 'vitest';
import { describeTriggers } from '../../src/guards/describe-triggers.ts';
import {
  agentChanged,
  limits,
  only,
  rearmed,
  testRun,
  times,
  triggerOf,
  turnEnded,
  verified,
} from './guard-events.ts';

const result = (signature: string, turn = 1) => verified(testRun(3, 5), { turn, signature });
const trips = (...signatures: string[]) =>
  triggerOf(
    'loop_detected',
    signatures.map((signature, index) => result(signature, index + 1)),
  );

test('G-3: the worked example: iterations 7, 8 and 9 end alike, one before the iteration limit', () => {
  const signature = 'test-fail:2-auth,logout';
  const iteration = (turn: number) => [
    result(turn < 7 ? `test-fail:3-run ${turn}` : signature, turn),
    turnEnded(turn),
  ];
  const given = only({ loop_detected: 3, max_iterations: 10 });
  const until = (last: number) => times(last, (index) => iteration(index + 1)).flat();
  expect(triggerOf('loop_detected', until(8), given)).toBeUndefined();
  expect(triggerOf('max_iterations', until(9), given)).toBeUndefined();
  const trigger = triggerOf('loop_detected', until(9), given);
  expect(trigger).toMatchObject({ threshold: 3, observed: 3, evidence: { signature, turns: [7, 8, 9] } });
  if (!trigger) throw new Error('no trigger');
  const asked = describeTriggers([trigger], {
    turn: 9,
    max_turns: 10,
    score: { unit: 'tests', passed: 3, total: 5 },
  });
  expect(asked.question).toBe(
    'Loop detected - same output pattern repeated 3 times: "test-fail:2-auth,logout". How to proceed?',
  );
  expect(asked.options.map((option) => `${option.label}: ${option.description}`)).toEqual([
    'Try a different approach: the agent is told what turns 7–9 tried and not to repeat it.',
    'Debug first: one turn to find the root cause, no code changes.',
    'Accept current: open the pull request with 3/5 tests passing, marked partial.',
    'Review: show the full history, then ask again.',
    'Cancel: stop here; the branch is kept.',
  ]);
});

test('G-3: a different result restarts at 1, and a pass is no result to repeat', () => {
  expect(trips('a', 'a', 'b', 'a', 'a')).toBeUndefined();
  expect(trips('a', 'a', 'b', 'b', 'b')?.evidence.turns).toEqual([3, 4, 5]);
  expect(trips('pass', 'pass', 'pass', 'pass')).toBeUndefined();
  expect(trips('a', 'a', 'pass', 'a', 'a')).toBeUndefined();
});

test('G-6: re-armed or given to another agent, the same result counts from 1', () => {
  const three = times(3, () => result('a'));
  expect(triggerOf('loop_detected', [...three, rearmed('loop_detected'), result('a')])).toBeUndefined();
  expect(triggerOf('loop_detected', [...three, agentChanged, result('a')])).toBeUndefined();
  expect(triggerOf('loop_detected', [...three, rearmed('max_runtime')])?.observed).toBe(3);
  const given = limits({ loop_detected: 1 });
  expect(triggerOf('loop_detected', [...three, rearmed('loop_detected'), result('a')], given)?.observed).toBe(
    1,
  );
});
