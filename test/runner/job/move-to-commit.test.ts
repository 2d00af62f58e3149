import {
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { moveToCommit, writeCommittedPaths } from '../../../src/runner/job/move-to-commit.ts';
import { openRepositoryObjects } from '../../../src/runner/workspace/repository-objects.ts';
import { git, makeWorktree } from '../temporary-worktree.ts';

const PATH = process.env.PATH;

/** A repository with two commits, and a checkout of the first one that has fetched both, one by one, as Actions does. */
function checkOut(base: Record<string, string>, change: (origin: ReturnType<typeof makeWorktree>) => void) {
  const origin = makeWorktree(base);
  const commit = () => git(origin.worktree, 'rev-parse', 'HEAD').trim();
  const from = commit();
  change(origin);
  git(origin.worktree, 'add', '-A');
  git(origin.worktree, 'commit', '-q', '-m', 'work');
  const to = commit();
  git(origin.worktree, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
  const tree = makeWorktree({}, { repository: false });
  git(tree.worktree, 'init', '-q');
  for (const sha of [to, from]) {
    git(tree.worktree, 'fetch', '-q', '--depth=1', '--no-tags', `file://${origin.worktree}`, sha);
    git(tree.worktree, 'checkout', '-q', '--force', '--detach', sha);
  }
  return { ...tree, from, to, objects: openRepositoryObjects(tree.worktree, PATH) };
}

test('V-5: a checkout gets the files of another commit; what no commit has stays, and git finds nothing changed', async () => {
  const { worktree, objects, from, to, write, read } = checkOut(
    { 'same.txt': 'same\n', 'gone.txt': 'x', 'dir/a.txt': 'a', swap: 'a file', '.gitignore': 'modules/\n' },
    (origin) => {
      origin.remove('gone.txt');
      origin.remove('dir');
      origin.write('dir', 'now a file');
      origin.remove('swap');
      origin.write('swap/inner.txt', 'now a directory');
      origin.write('new/ünï.txt', 'new\n');
      origin.write('run.sh', '#!/bin/sh\n');
      chmodSync(origin.at('run.sh'), 0o755);
      symlinkSync('/etc/passwd', origin.at('link'));
    },
  );
  // By set-up steps: what git ignores, and a change of a file that both commits have.
  write('modules/dep.js', 'dep');
  write('same.txt', 'set up\n');
  const move = await moveToCommit(worktree, objects, { from, to });
  expect(move.to.map(({ path }) => path).sort()).toEqual(
    ['dir', 'dir/a.txt', 'gone.txt', 'link', 'new/ünï.txt', 'run.sh', 'swap', 'swap/inner.txt'].sort(),
  );
  expect([read('dir'), read('swap/inner.txt'), read('new/ünï.txt')]).toEqual([
    'now a file',
    'now a directory',
    'new\n',
  ]);
  expect([existsSync(join(worktree, 'gone.txt')), read('modules/dep.js'), read('same.txt')]).toEqual([
    false,
    'dep',
    'set up\n',
  ]);
  expect(lstatSync(join(worktree, 'run.sh')).mode & 0o777).toBe(0o755);
  expect(readlinkSync(join(worktree, 'link'))).toBe('/etc/passwd');
  expect(git(worktree, 'rev-parse', 'HEAD').trim()).toBe(to);
  expect(git(worktree, 'status', '--porcelain').trim()).toBe('M same.txt');
  expect(git(worktree, 'log', '--format=%s').trim()).toBe('work');
  // And back, for the checks with the versions of the base.
  await writeCommittedPaths(worktree, objects, move.from);
  expect([read('dir/a.txt'), read('swap'), read('gone.txt')]).toEqual(['a', 'a file', 'x']);
  expect(existsSync(join(worktree, 'new'))).toBe(false);
});

test('S-11: nothing that set-up steps configured runs when the files of a round come, and no link leads out', async () => {
  const { worktree, objects, top, from, to, write } = checkOut(
    { 'kept/a.txt': 'a\n', 'b.txt': 'b\n' },
    (origin) => {
      origin.write('b.txt', 'changed\n');
      origin.write('kept/a.txt', 'changed\n');
      origin.write('.gitattributes', '* filter=evil diff=evil\n');
      for (const name of ['post-checkout', 'reference-transaction', 'post-index-change'])
        origin.write(`.hooks/${name}`, `#!/bin/sh\necho ${name} >> ran.txt\n`);
      for (const name of ['post-checkout', 'reference-transaction', 'post-index-change'])
        chmodSync(origin.at(`.hooks/${name}`), 0o755);
      origin.write('monitor.sh', '#!/bin/sh\necho monitor >> ran.txt\n');
      chmodSync(origin.at('monitor.sh'), 0o755);
    },
  );
  git(worktree, 'config', 'core.hooksPath', '.hooks');
  git(worktree, 'config', 'core.fsmonitor', './monitor.sh');
  git(worktree, 'config', 'filter.evil.smudge', 'sh -c "echo smudge >> ran.txt; cat"');
  git(worktree, 'config', 'filter.evil.clean', 'sh -c "echo clean >> ran.txt; cat"');
  git(worktree, 'config', 'diff.evil.textconv', 'sh -c "echo textconv >> ran.txt; cat"');
  // A set-up step replaced a directory by a link to one outside.
  write('../outside/a.txt', 'outside\n');
  git(worktree, 'rm', '-rq', '--cached', 'kept');
  renameSync(join(worktree, 'kept'), join(top, 'moved'));
  symlinkSync(join(top, 'outside'), join(worktree, 'kept'));
  await moveToCommit(worktree, objects, { from, to });
  expect(existsSync(join(worktree, 'ran.txt'))).toBe(false);
  expect(lstatSync(join(worktree, 'kept')).isDirectory()).toBe(true);
  expect(readFileSync(join(top, 'outside/a.txt'), 'utf8')).toBe('outside\n');
});
