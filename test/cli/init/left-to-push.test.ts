import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findLeftToPush } from '../../../src/cli/init/left-to-push.ts';
import { git, makeWorktree } from '../../runner/temporary-worktree.ts';

const REMOTE = { name: 'origin', host: 'github.com', repository: 'olivia/shop' };
const PATHS = ['.github/a.yml', '.github/b.yml'];

/** A clone whose remote is on this disk. */
function makeClone() {
  const tree = makeWorktree({ 'README.md': '# Shop\n' });
  const bare = join(tree.top, 'bare.git');
  git(tree.top, 'init', '-q', '--bare', '-b', 'main', bare);
  git(tree.worktree, 'push', '-q', bare, 'HEAD:main');
  git(tree.worktree, 'remote', 'add', 'origin', bare);
  git(tree.worktree, 'fetch', '-q', 'origin');
  git(tree.worktree, 'branch', '-q', '-f', '-M', 'main');
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: tree.top };
  return {
    at: tree.worktree,
    write() {
      mkdirSync(tree.at('.github'));
      for (const path of PATHS) writeFileSync(tree.at(path), 'x\n');
    },
    left: (written: string[] = [], remote: typeof REMOTE | undefined = REMOTE) =>
      findLeftToPush(
        tree.worktree,
        PATHS.map((path) => ({ path, isWritten: written.includes(path) })),
        remote,
        env,
      ),
  };
}

test('N-1: what an earlier init wrote is left to commit, then to push, then nothing is', async () => {
  const { at, left, write } = makeClone();
  expect(await left(PATHS)).toEqual({ toCommit: PATHS, push: 'push -u origin HEAD' });
  write();
  expect(await left()).toEqual({ toCommit: PATHS, push: 'push -u origin HEAD' });
  git(at, 'add', PATHS[0] ?? '');
  expect(await left()).toMatchObject({ toCommit: PATHS });
  git(at, 'commit', '-q', '-m', 'one');
  expect(await left()).toMatchObject({ toCommit: [PATHS[1]] });
  git(at, 'add', '.github');
  git(at, 'commit', '-q', '-m', 'both');
  expect(await left()).toEqual({ toCommit: [], push: 'push -u origin HEAD' });
  git(at, 'push', '-q', '-u', 'origin', 'HEAD');
  expect(await left()).toEqual({ toCommit: [], push: undefined });
  expect(await left(['.github/b.yml'])).toEqual({ toCommit: ['.github/b.yml'], push: 'push' });
  writeFileSync(join(at, '.github/a.yml'), 'y\n');
  expect(await left()).toEqual({ toCommit: ['.github/a.yml'], push: 'push' });
});

test('N-1: files that only another branch of the remote has are left to push, and those of nowhere, too', async () => {
  const { at, left, write } = makeClone();
  git(at, 'remote', 'set-head', 'origin', 'main');
  git(at, 'checkout', '-q', '-b', 'mine');
  write();
  git(at, 'add', '.github');
  git(at, 'commit', '-q', '-m', 'both');
  git(at, 'push', '-q', '-u', 'origin', 'HEAD');
  expect(await left()).toEqual({ toCommit: [], push: 'push' });
  git(at, 'push', '-q', 'origin', 'HEAD:main');
  expect(await left()).toEqual({ toCommit: [], push: undefined });
  git(at, 'remote', 'remove', 'origin');
  expect(await left([], undefined)).toEqual({ toCommit: [], push: 'push -u origin HEAD' });
});

test('N-1: a branch that goes elsewhere is pushed to the remote on GitHub', async () => {
  const { at, left } = makeClone();
  git(at, 'config', 'branch.main.remote', 'elsewhere');
  expect(await left(PATHS)).toMatchObject({ push: 'push origin HEAD' });
});

test('N-1: with no branch checked out, the push names the default branch, and git takes it', async () => {
  const { at, left } = makeClone();
  git(at, 'checkout', '-q', '--detach');
  expect(await left(PATHS)).toEqual({ toCommit: PATHS, push: 'push origin HEAD:main', isDetached: true });
  git(at, 'commit', '-q', '--allow-empty', '-m', 'one');
  git(at, 'push', '-q', 'origin', 'HEAD:main');
  git(at, 'update-ref', 'refs/remotes/origin/trunk', 'HEAD');
  git(at, 'remote', 'set-head', 'origin', 'trunk');
  expect(await left(PATHS)).toMatchObject({ push: 'push origin HEAD:trunk' });
});
