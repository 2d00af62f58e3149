import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findExecutable } from '../../../src/runner/process/find-executable.ts';

test('E-7: an entry of the PATH that cannot be read is passed over', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'autobuild-path-'));
  // A link to itself and a name that is too long fail for everybody, also for root.
  symlinkSync('loop', join(cwd, 'loop'));
  const unreadable = [join(cwd, 'loop'), join(cwd, 'x'.repeat(300)), join(cwd, 'absent')];
  const found = (...entries: string[]) => findExecutable('node', { cwd, path: entries.join(delimiter) });
  expect(found(...unreadable, dirname(process.execPath))).toEqual({ path: process.execPath });
  expect(found(...unreadable)).toMatchObject({ missing: true });
  expect(findExecutable(join(cwd, 'loop'), { cwd, path: '' })).toHaveProperty('problem');
  rmSync(cwd, { recursive: true });
});
