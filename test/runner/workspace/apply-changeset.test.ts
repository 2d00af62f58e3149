import { chmodSync, existsSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Changeset, checkChangeset } from '../../../src/core/work/changeset.ts';
import { applyChangeset, ChangesetRefusedError } from '../../../src/runner/workspace/apply-changeset.ts';
import { makeChangeset } from '../../../src/runner/workspace/make-changeset.ts';
import { git, makeTemporaryDirectory, makeWorktree } from '../temporary-worktree.ts';

const FILES = {
  'kept.txt': 'kept\n',
  'edited.txt': 'before\n',
  'gone.txt': 'gone\n',
  'dir/only.txt': 'the only one here\n',
  'was-file': 'a file\n',
  'tool.sh': '#!/bin/sh\n',
};

const headOf = (worktree: string) => git(worktree, 'rev-parse', 'HEAD').trim();

/** The same commit, checked out at another path: what the next job begins with. */
function cloneElsewhere(worktree: string): string {
  const place = join(makeTemporaryDirectory(), 'quite', 'elsewhere');
  git(worktree, 'clone', '-q', worktree, place);
  return place;
}

async function changedWorktree() {
  const tree = makeWorktree(FILES);
  const workspace = await tree.open();
  tree.write('edited.txt', 'after\n');
  tree.remove('gone.txt');
  tree.remove('dir');
  tree.remove('was-file');
  tree.write('was-file/now/a/directory.txt', 'deep\n');
  tree.write('binary.bin', Buffer.from(Array.from({ length: 1024 }, (_, n) => n % 256)));
  tree.write('empty', '');
  tree.write('ünïcode/日本語 🙂.txt', 'ユニコード\n');
  chmodSync(tree.at('tool.sh'), 0o755);
  return { tree, workspace, head: headOf(tree.worktree) };
}

test('a changeset brings modes, deletions, binary files and unicode names to another path', async () => {
  const { tree, workspace, head } = await changedWorktree();
  const changeset = await makeChangeset(workspace, head);
  expect(changeset.left_out).toEqual([]);
  expect(Changeset.parse(JSON.parse(JSON.stringify(changeset)))).toEqual(changeset);
  const elsewhere = cloneElsewhere(tree.worktree);
  await applyChangeset(elsewhere, changeset, head);
  for (const place of [tree.worktree, elsewhere]) git(place, 'add', '-A');
  expect(git(elsewhere, 'write-tree')).toBe(git(tree.worktree, 'write-tree'));
  expect(existsSync(join(elsewhere, 'dir'))).toBe(false);
  expect(lstatSync(join(elsewhere, 'tool.sh')).mode & 0o777).toBe(0o755);
  expect(checkChangeset(changeset, { protectedPaths: [], approvedPaths: [], maxFiles: 20 }).ok).toBe(true);
});

test('the work goes on from there: the next changeset is the same and grows', async () => {
  const { tree, workspace, head } = await changedWorktree();
  const first = await makeChangeset(workspace, head);
  const elsewhere = cloneElsewhere(tree.worktree);
  const { openWorkspace } = await import('../../../src/runner/workspace/workspace.ts');
  const gitDir = join(makeTemporaryDirectory(), 'git');
  const next = await openWorkspace({ worktree: elsewhere, gitDir, stateDir: '.autobuild' });
  await applyChangeset(elsewhere, first, head);
  expect(await makeChangeset(next, head)).toEqual(first);
  writeFileSync(join(elsewhere, 'more.txt'), 'more\n');
  expect((await makeChangeset(next, head)).files).toHaveLength(first.files.length + 1);
});

describe('S-12: what a changeset does not carry is told', () => {
  test('links, repositories and names that are dangerous elsewhere', async () => {
    const tree = makeWorktree({ 'a.txt': 'a\n' });
    const workspace = await tree.open();
    symlinkSync('/etc/passwd', tree.at('passwd'));
    tree.write('git~1/config', 'x');
    tree.write('fine.txt', 'fine\n');
    const changeset = await makeChangeset(workspace, headOf(tree.worktree));
    expect(changeset.files.map(({ path }) => path)).toEqual(['fine.txt']);
    expect(changeset.left_out.map(({ path }) => path).sort()).toEqual(['git~1/config', 'passwd']);
    expect(JSON.stringify(changeset)).not.toContain('root:');
  });

  test('files beyond the limits of size, sum and number', async () => {
    const tree = makeWorktree();
    const workspace = await tree.open();
    for (const name of ['a', 'b', 'c']) tree.write(name, 'x'.repeat(100));
    tree.write('large', 'x'.repeat(1000));
    const head = headOf(tree.worktree);
    const bySize = await makeChangeset(workspace, head, { maxFileBytes: 500 });
    expect(bySize.left_out).toEqual([{ path: 'large', problem: expect.stringContaining('1000 bytes') }]);
    const bySum = await makeChangeset(workspace, head, { maxTotalBytes: 250 });
    expect(bySum.left_out.map(({ path }) => path)).toEqual(['c', 'large']);
    const byNumber = await makeChangeset(workspace, head, { maxCount: 1 });
    expect(byNumber.files.map(({ path }) => path)).toEqual(['a']);
  });
});

describe('S-12: a hostile changeset writes nothing', () => {
  const content = Buffer.from('owned\n').toString('base64');
  const hostile = (path: string) => ({ path, mode: '100644' as const, status: 'added' as const, content });

  test.each(['../outside.txt', '.git/hooks/post-checkout', '/tmp/x', 'GIT~1/config', 'a/../../b'])(
    'the path %j stops all of it',
    async (path) => {
      const tree = makeWorktree({ 'a.txt': 'a\n' });
      const head = headOf(tree.worktree);
      const changeset = { base_sha: head, files: [hostile('first.txt'), hostile(path)], left_out: [] };
      await expect(applyChangeset(tree.worktree, changeset, head)).rejects.toThrow(ChangesetRefusedError);
      expect(git(tree.worktree, 'status', '--porcelain')).toBe('');
      expect(existsSync(join(tree.top, 'outside.txt'))).toBe(false);
    },
  );

  test('a link on the way is no way; a link at the path itself is replaced', async () => {
    const tree = makeWorktree({ 'a.txt': 'a\n' });
    const outside = makeTemporaryDirectory();
    writeFileSync(join(outside, 'target.txt'), 'mine\n');
    symlinkSync(outside, tree.at('out'));
    symlinkSync(join(outside, 'target.txt'), tree.at('link.txt'));
    const head = headOf(tree.worktree);
    const apply = (path: string) =>
      applyChangeset(tree.worktree, { base_sha: head, files: [hostile(path)], left_out: [] }, head);
    await expect(apply('out/target.txt')).rejects.toThrow('is a symbolic link');
    await apply('link.txt');
    expect(readFileSync(join(outside, 'target.txt'), 'utf8')).toBe('mine\n');
    expect(lstatSync(tree.at('link.txt')).isFile()).toBe(true);
  });

  test('another commit than the one it was made for is refused, and both are named', async () => {
    const tree = makeWorktree({ 'a.txt': 'a\n' });
    const head = headOf(tree.worktree);
    const other = 'b'.repeat(40);
    const changeset = { base_sha: other, files: [hostile('x')], left_out: [] };
    await expect(applyChangeset(tree.worktree, changeset, head)).rejects.toThrow(
      new RegExp(`${other}.*${head}`),
    );
  });
});
