import { expect, test } from 'vitest';
import { CATALOGUE, type ErrorCode, UserError, userError } from '../../src/core/error-catalogue.ts';

/** Something for every parameter any entry takes. */
const PARAMETERS = {
  problem: 'What went wrong.',
  usage: 'autobuild run TASK.md',
  file: 'F',
  reason: 'R',
  problems: ['one', 'two'],
  name: 'N',
  known: ['a', 'b'],
  command: 'autobuild init',
  config: 'C',
  directory: 'D',
  pid: 7,
  run: 'r1',
  since: 'S',
  home: 'H',
  status: 'cancelled',
  address: 'A:1',
  where: 'W',
  keys: ['K1', 'K2'],
  count: 3,
  files: 'a.ts, b.ts',
  names: 'A, B',
  host: 'github.com',
  path: 'P',
  branch: 'B',
  repository: 'O/N',
  ref: 'refs/autobuild/issue-7',
  entry: 'state',
  derived: true,
  oid: 'abc',
  megabytes: 31,
  holder: 'H',
  until: 'U',
  least: 32,
};

function describe(code: ErrorCode, parameters: object): UserError {
  return (userError as (code: ErrorCode, parameters: object) => UserError)(code, parameters);
}

test.each(Object.keys(CATALOGUE) as ErrorCode[])(
  '%s has a message and a remedy with nothing left out',
  (code) => {
    const error = describe(code, PARAMETERS);
    expect(error).toBeInstanceOf(UserError);
    expect(error.code).toBe(code);
    for (const text of [error.message, error.remedy]) {
      expect(text.trim().length).toBeGreaterThan(10);
      expect(text).not.toMatch(/undefined|null|\[object/);
    }
  },
);

test('every parameter an entry takes is shown', () => {
  const shown = (code: ErrorCode, parameters: object) => {
    const { message, remedy } = describe(code, parameters);
    return `${message} ${remedy}`;
  };
  expect(shown('config_invalid', { file: 'F', problems: ['one'] })).toContain('F has 1 error:\n  one');
  expect(shown('config_invalid', PARAMETERS)).toContain('2 errors:\n  one\n  two');
  expect(shown('agent_unknown', { name: 'N', known: [] })).not.toContain('Available');
  expect(shown('agent_unknown', PARAMETERS)).toContain('Available: a, b');
  expect(shown('run_missing', { run: '', home: 'H' })).toContain('No run was started');
  expect(shown('run_missing', PARAMETERS)).toContain('r1');
  expect(shown('worktree_held', PARAMETERS)).toMatch(/r1.*7.*S/);
});
