import { expect, test } from 'vitest';
import { checkWorktreePath, relativeToWorktree } from '../../../src/core/work/worktree-path.ts';

test.each([
  ['src/a.ts', 'src/a.ts'],
  ['./src//a.ts', 'src/a.ts'],
  ['a/./b/', 'a/b'],
  ['..a/b..', '..a/b..'],
  ['.github/workflows/ci.yml', '.github/workflows/ci.yml'],
])('%j is %j', (given, path) => {
  expect(checkWorktreePath(given)).toEqual({ ok: true, path });
});

test.each([
  '',
  '.',
  './',
  '..',
  'a/../b',
  '/etc/passwd',
  'a\0',
  '.git',
  'x/.Git/hooks',
  'n'.repeat(256),
  'a/'.repeat(3000),
])('%j is refused', (given) => {
  expect(checkWorktreePath(given)).toMatchObject({ ok: false, problem: expect.any(String) });
});

test('an absolute path inside the worktree becomes relative, any other stays to be refused', () => {
  expect(relativeToWorktree('/w/t', '/w/t/src/a.ts')).toBe('src/a.ts');
  expect(relativeToWorktree('/w/t/', '/w/t/src/a.ts')).toBe('src/a.ts');
  expect(checkWorktreePath(relativeToWorktree('/w/t', '/w/tother/a.ts')).ok).toBe(false);
  expect(checkWorktreePath(relativeToWorktree('/w/t', '/w/t/../x')).ok).toBe(false);
});
