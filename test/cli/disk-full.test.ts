import { expect, test } from 'vitest';
import { isDiskFull } from '../../src/cli/disk-full.ts';

test('R-12: a full disk is known by its code, by the words of git, and through causes', () => {
  const coded = Object.assign(new Error('write'), { code: 'ENOSPC' });
  expect(isDiskFull(coded)).toBe(true);
  expect(isDiskFull(new Error('Cannot write report.json', { cause: coded }))).toBe(true);
  const git = "fatal: sha1 file '/run/git/index.lock' write error. Out of diskspace";
  expect(isDiskFull(new Error(`git write-tree failed: ${git}`))).toBe(true);
  expect(isDiskFull(new Error('fatal: unable to write: No space left on device'))).toBe(true);
});

test('R-12: anything else is not', () => {
  expect(isDiskFull(Object.assign(new Error('open'), { code: 'EACCES' }))).toBe(false);
  expect(isDiskFull('ENOSPC')).toBe(false);
  const circular = new Error('round');
  circular.cause = circular;
  expect(isDiskFull(circular)).toBe(false);
});
