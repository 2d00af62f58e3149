import { expect, test } from 'vitest';
import { Option, type Progress } from '../../../src/core/contracts/guard.ts';
import { describeTriggers } from '../../../src/guards/describe-triggers.ts';
import { joinHeadline } from '../../../src/guards/words/wording.ts';
import { tripsOfEveryGuard } from '../every-guard.ts';
import { error, failed, limits, only, times, triggersAfter } from '../guard-events.ts';

const progress: Progress = { turn: 7, max_turns: 10, score: { unit: 'tests', passed: 3, total: 5 } };

function ask(guard: string, at: Progress = progress) {
  const trip = tripsOfEveryGuard().find((each) => each.guard === guard);
  const [trigger] = trip ? triggersAfter(trip.events, only({ [trip.guard]: trip.limit })) : [];
  if (!trigger) throw new Error(`${guard} did not trip`);
  return describeTriggers([trigger], at);
}

const FOUR_AND_REVIEW = [
  ['max_iterations', ['/continue +5', '/continue +5 new-approach', '/accept', '/review', '/cancel']],
  ['max_runtime', ['/continue +10min', '/pause', '/accept', '/review', '/cancel']],
  ['loop_detected', ['/continue new-approach', '/debug', '/accept', '/review', '/cancel']],
  ['consecutive_errors', ['/retry', '/debug', '/skip', '/review', '/cancel']],
] as const;

const OTHERS = [
  ['same_error_repeated', ['/retry', '/debug', '/skip', '/accept', '/review', '/terminate']],
  ['total_verification_attempts', ['/continue', '/debug', '/accept', '/review', '/terminate']],
  [
    'no_file_changes_after_attempts',
    ['/continue new-approach', '/debug', '/accept', '/review', '/terminate'],
  ],
  [
    'no_test_improvement_after',
    ['/continue new-approach', '/debug', '/skip', '/accept', '/review', '/terminate'],
  ],
  ['external_blocker', ['/retry', '/skip', '/pause', '/accept', '/review', '/terminate']],
  ['need_help', ['/skip', '/accept', '/review', '/cancel']],
  ['cost_exceeds', ['/continue', '/accept', '/review', '/cancel']],
] as const;

const ROWS = { max_iterations: 'G-1', max_runtime: 'G-2', loop_detected: 'G-3', consecutive_errors: 'G-4' };

test.each(FOUR_AND_REVIEW.map(([guard, commands]) => [ROWS[guard], guard, commands] as const))(
  '%s: %s offers its four choices and Review',
  (_row, guard, commands) => {
    expect(ask(guard).options.map((option) => option.command)).toEqual(commands);
  },
);

test.each(OTHERS)('G-13: %s declares its own options', (guard, commands) => {
  expect(ask(guard).options.map((option) => option.command)).toEqual(commands);
});

test.each([
  [
    'max_iterations',
    'Iteration limit (10) reached. Current status: 2 of 5 tests still failing. How to proceed?',
  ],
  [
    'max_runtime',
    'Runtime limit (60min) exceeded after 7 iterations. 2 of 5 tests still failing. How to proceed?',
  ],
  ['loop_detected', 'Loop detected - same output pattern repeated 3 times: "error:boom". How to proceed?'],
  ['consecutive_errors', '5 consecutive errors occurred. Last error: "npm test failed". How to proceed?'],
])('G-13: %s asks with its figures', (guard, question) => {
  expect(ask(guard).question).toBe(question);
});

test.each([
  ['max_iterations', '10 of 10 turns used, 2 tests fail, what next?'],
  ['max_runtime', '60 of 60 min used, 2 tests fail, what next?'],
  ['loop_detected', 'the last 3 turns ended with the same error, what next?'],
  ['consecutive_errors', '5 errors in a row, what next?'],
  ['same_error_repeated', 'same error 3 times, a hint would help'],
  ['total_verification_attempts', '10 of 10 verifications used, what next?'],
  ['no_file_changes_after_attempts', '5 attempts changed no file, a hint would help'],
  ['no_test_improvement_after', 'no improvement in 3 test runs, what next?'],
  ['spec_deviation_detected', "a file outside the task's scope, approve it?"],
  ['cost_exceeds', '$5.00 of $5.00 spent, what next?'],
])('G-13: headline of %s', (guard, headline) => {
  expect(ask(guard).headline).toBe(headline);
});

const progresses: Progress[] = [
  progress,
  { turn: 0, max_turns: 10 },
  { turn: 1, max_turns: 10, score: { unit: 'checks', passed: 1, total: 2 } },
  { turn: 1, max_turns: 10, score: { unit: 'tests', passed: 5, total: 5 } },
];

test.each(tripsOfEveryGuard())(
  'G-13: $guard asks how to proceed, in few words, with described options',
  ({ guard }) => {
    for (const at of progresses) {
      const { headline, question, options } = ask(guard, at);
      expect(question).toMatch(/How to proceed\?$/);
      expect(headline.length).toBeLessThanOrEqual(80);
      expect(options.map((option) => option.id)).toContain('review');
      expect(new Set(options.map((option) => option.id)).size).toBe(options.length);
      for (const option of options) {
        expect(Option.parse(option)).toEqual(option);
        expect(option.label).not.toBe('');
        expect(option.description).not.toBe('');
      }
      expect(JSON.stringify([headline, question, options])).not.toMatch(/undefined|null|NaN|Infinity/);
    }
  },
);

test('G-13: checks are counted where there are no tests', () => {
  const at: Progress = { turn: 1, max_turns: 10, score: { unit: 'checks', passed: 1, total: 2 } };
  expect(ask('max_iterations', at).headline).toBe('10 of 10 turns used, 1 check fails, what next?');
  expect(ask('max_iterations', at).options.find((option) => option.id === 'accept')?.description).toBe(
    'open the pull request with 1/2 checks passing, marked partial.',
  );
});

test('G-13: a headline that would be too long loses its middle clause, then the end of its first', () => {
  const [first, middle, last] = ['a'.repeat(40), 'b'.repeat(30), 'c'.repeat(20)] as const;
  expect(joinHeadline(first, middle, last)).toBe(`${first}, ${last}`);
  expect(joinHeadline(first, 'b', last)).toBe(`${first}, b, ${last}`);
  expect(joinHeadline('a'.repeat(90), middle, last)).toBe(`${'a'.repeat(57)}…, ${last}`);
});

test('G-13: text from the agent stays on one line and short', () => {
  const message = `boom\n\n/cancel\u202e\u0007${'x'.repeat(5000)}`;
  const [trigger] = triggersAfter(
    times(3, () => failed([error(message)])),
    limits({ loop_detected: 'off' }),
  );
  if (!trigger) throw new Error('no trigger');
  const { question } = describeTriggers([trigger], progress);
  expect(question).toContain('boom /cancel x');
  expect(question.length).toBeLessThan(400);
});
