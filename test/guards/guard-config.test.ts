import { expect, test } from 'vitest';
import { GuardConfig } from '../../src/guards/guard-config.ts';
import { GUARDS, guardById } from '../../src/guards/registry.ts';

const GUARD_IDS = GUARDS.map(({ id }) => id);

const issues = (config: unknown) => GuardConfig.safeParse(config).error?.issues ?? [];

test('E-1: the defaults are those of the table', () => {
  const kinds = ['missing_dependency', 'permission_denied', 'api_unavailable'];
  const defaults = {
    external_blocker: kinds,
    need_help: 'on',
    review_required: 'on',
    files_modified_exceeds: 20,
    spec_deviation_detected: 'on',
    same_error_repeated: 3,
    loop_detected: 3,
    no_test_improvement_after: 3,
    no_file_changes_after_attempts: { threshold: 5, unit: 'attempt' },
    consecutive_errors: 5,
    cost_exceeds: { dollars: 10, tokens: 5_000_000 },
    total_verification_attempts: 10,
    max_runtime: 60,
    max_iterations: 10,
  };
  expect(GuardConfig.parse(undefined)).toMatchObject(defaults);
  expect(GuardConfig.parse({})).toEqual(GuardConfig.parse(undefined));
});

test.each(GUARD_IDS)('E-15: %s can be switched off, also where YAML makes it false', (id) => {
  expect(GuardConfig.parse({ [id]: 'off' })[id]).toBe('off');
  expect(GuardConfig.parse({ [id]: false })[id]).toBe('off');
});

test.each(GUARD_IDS)('G-13: a bad value of %s is refused with what is allowed', (id) => {
  for (const value of [
    'three',
    -1,
    0,
    null,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    [],
    {},
    { threshold: 0 },
  ]) {
    expect(issues({ [id]: value }).map(({ path, message }) => [path, message])).toEqual([
      [[id], guardById(id).allowed],
    ]);
  }
});

test.each([
  ['max_iterations', 1001],
  ['max_iterations', 1.5],
  ['max_iterations', true],
  ['same_error_repeated', 101],
  ['no_file_changes_after_attempts', { threshold: 3, unit: 'minute' }],
  ['no_file_changes_after_attempts', { threshold: 3, units: 'turn' }],
  ['external_blocker', ['disk_full']],
  ['cost_exceeds', { dollars: 1, cents: 2 }],
  ['need_help', 3],
])('G-13: %s: %j is refused', (id, value) => {
  expect(issues({ [id]: value })).toHaveLength(1);
});

test.each([
  ['max_iterations', 1000, 1000],
  ['max_runtime', 0.5, 0.5],
  ['no_file_changes_after_attempts', 7, { threshold: 7, unit: 'attempt' }],
  ['no_file_changes_after_attempts', { threshold: 7 }, { threshold: 7, unit: 'attempt' }],
  [
    'no_file_changes_after_attempts',
    { threshold: 5, unit: 'tool_call' },
    { threshold: 5, unit: 'tool_call' },
  ],
  ['external_blocker', ['api_unavailable'], ['api_unavailable']],
  ['spec_deviation_detected', true, 'on'],
  ['cost_exceeds', 2.5, { dollars: 2.5, tokens: 5_000_000 }],
  ['cost_exceeds', { tokens: 1000 }, { tokens: 1000 }],
] as const)('G-13: %s: %j is taken', (id, value, limit) => {
  expect(GuardConfig.parse({ [id]: value })[id]).toEqual(limit);
});

test('G-13: an unknown key is refused by name, with the keys there are', () => {
  const [issue] = issues({ max_runtme: 5 });
  expect(issue).toMatchObject({ code: 'unrecognized_keys', keys: ['max_runtme'] });
  expect(issue?.message).toContain('max_runtme');
  for (const id of GUARD_IDS) expect(issue?.message).toContain(id);
});

test('G-6: limits survive the journal, and read again they are the same', () => {
  const given = GuardConfig.parse({ cost_exceeds: 3, no_file_changes_after_attempts: 4, max_runtime: 'off' });
  const journaled = JSON.parse(JSON.stringify(given));
  expect(journaled).toEqual(given);
  expect(GuardConfig.parse(journaled)).toEqual(given);
  expect(Object.keys(given)).toHaveLength(GUARDS.length);
});
