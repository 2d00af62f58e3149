import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Change, totals } from '../../../src/core/work/change.ts';
import { openStateDir } from '../../../src/runner/job/state-dir.ts';
import { openWorkspace, type Workspace } from '../../../src/runner/workspace/workspace.ts';
import { WorktreeGoneError } from '../../../src/runner/workspace/worktree-gone.ts';
import { git, makeTemporaryDirectory, makeWorktree } from '../temporary-worktree.ts';

async function pathsOf(workspace: Workspace): Promise<string[]> {
  const changes = await workspace.changes();
  const paths = changes.map((change) => change.path);
  // The cheap poll and the full list must never disagree.
  expect(await workspace.changedPaths()).toEqual(paths);
  return paths;
}

describe('changes against the snapshot', () => {
  test('what is added, modified and deleted is told with its lines, mode and size', async () => {
    const tree = makeWorktree({
      'a.txt': 'one\ntwo\n',
      'b.txt': 'gone\n',
      'run.sh': '#!/bin/sh\n',
      '.gitignore': 'out/\n',
    });
    const workspace = await tree.open();
    expect(await workspace.changedPaths()).toEqual([]);
    tree.write('a.txt', 'one\n2\nthree\n');
    tree.remove('b.txt');
    tree.write('dir/new.bin', Buffer.from([0, 1, 2]));
    tree.write('out/ignored.txt', 'x');
    chmodSync(tree.at('run.sh'), 0o755);
    expect(await workspace.changedPaths()).toEqual(['a.txt', 'b.txt', 'dir/new.bin', 'run.sh']);
    const changes = await workspace.changes();
    expect(changes).toEqual([
      { path: 'a.txt', status: 'modified', added: 2, removed: 1, binary: false, mode: '100644', size: 12 },
      { path: 'b.txt', status: 'deleted', added: 0, removed: 1, binary: false, mode: '000000', size: 0 },
      { path: 'dir/new.bin', status: 'added', added: 0, removed: 0, binary: true, mode: '100644', size: 3 },
      { path: 'run.sh', status: 'modified', added: 0, removed: 0, binary: false, mode: '100755', size: 10 },
    ]);
    expect(totals(changes.map((change) => Change.parse(change)))).toEqual({ files: 4, added: 2, removed: 2 });
  });

  test('what was uncommitted or untracked before the agent came is not the agent’s', async () => {
    const tree = makeWorktree({ 'a.txt': 'one\n' });
    tree.write('a.txt', 'edited by the user\n');
    tree.write('notes.txt', 'of the user\n');
    const workspace = await tree.open();
    expect(await pathsOf(workspace)).toEqual([]);
  });

  test('a file touched, or changed and changed back, is no change', async () => {
    const tree = makeWorktree({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const workspace = await tree.open();
    utimesSync(tree.at('b.txt'), new Date(0), new Date(0));
    tree.write('a.txt', 'other\n');
    expect(await pathsOf(workspace)).toEqual(['a.txt']);
    tree.write('a.txt', 'one\n');
    expect(await workspace.changedPaths()).toEqual([]);
    expect(await workspace.changes()).toEqual([]);
  });

  test('a change of the same size within the second of the last look is not lost when the index is written later', async () => {
    const second = () => Math.floor(Date.now() / 1000);
    // Both writes must fall into one second, as file times are compared by the second; try until they do.
    for (let tries = 0; tries < 20; tries += 1) {
      const start = second();
      await expect.poll(second, { interval: 5 }).toBeGreaterThan(start);
      const tree = makeWorktree({}, { repository: false });
      tree.write('a.txt', '1\n');
      tree.write('b.txt', 'x\n');
      const workspace = await tree.open();
      tree.write('a.txt', '2\n');
      if (second() > start + 1) continue;
      await expect.poll(second, { interval: 5 }).toBeGreaterThan(start + 1);
      tree.remove('b.txt');
      expect(await workspace.changedPaths()).toEqual(['a.txt', 'b.txt']);
      expect((await workspace.changes()).map((change) => change.path)).toEqual(['a.txt', 'b.txt']);
      return;
    }
    expect.unreachable('the machine never managed two writes and a snapshot in one second');
  });

  test('the poll writes neither trees nor content', async () => {
    const tree = makeWorktree({ 'a.txt': 'one\n' });
    const workspace = await tree.open();
    const count = () =>
      execFileSync('find', [join(tree.gitDir, 'objects'), '-type', 'f'], { encoding: 'utf8' });
    const before = count();
    tree.write('a.txt', 'two\n');
    tree.write('b.txt', 'new\n');
    expect(await workspace.changedPaths()).toEqual(['a.txt', 'b.txt']);
    expect(count()).toBe(before);
  });

  test('names with newlines, quotes, UTF-8, dashes and glob characters come through as they are', async () => {
    const names = [
      '--force',
      '-n',
      ':(top)x',
      'a\nb',
      'line "quoted"',
      'naïve-日本.txt',
      'sp ace',
      'tab\there',
      '[a]*?.txt',
      "o'k",
    ];
    const tree = makeWorktree({ 'plain.txt': 'x\n' });
    const workspace = await tree.open();
    for (const name of names) tree.write(`d/${name}`, 'x\n');
    for (const name of names) tree.write(name, 'x\n');
    const expected = [...names, ...names.map((name) => `d/${name}`)].sort((a, b) => (a < b ? -1 : 1));
    expect(await pathsOf(workspace)).toEqual(expected);
    const items = await workspace.revert(expected, tree.aside);
    expect(items.map((item) => item.kind)).toEqual(expected.map(() => 'file'));
    expect(await pathsOf(workspace)).toEqual([]);
  });

  test('a name that is no UTF-8 does not hide', async () => {
    const tree = makeWorktree({ 'a.txt': 'x\n' });
    const workspace = await tree.open();
    execFileSync('bash', ['-c', `printf x > "$1"/$'bad\\xff'`, 'bash', tree.worktree]);
    expect(await pathsOf(workspace)).toEqual(['bad\uFFFD']);
    expect(await pathsOf(workspace)).toEqual(['bad\uFFFD']);
  });

  test('a worktree that is no repository works the same', async () => {
    const tree = makeWorktree(
      { 'a.txt': 'one\n', '.gitignore': 'tmp/\n', 'tmp/x': '' },
      { repository: false },
    );
    const workspace = await tree.open();
    tree.write('a.txt', 'two\n');
    tree.write('tmp/y', '');
    expect(await pathsOf(workspace)).toEqual(['a.txt']);
    expect(existsSync(tree.at('.git'))).toBe(false);
  });

  test('a linked worktree works, with the user’s own excludes', async () => {
    const tree = makeWorktree({ 'a.txt': 'one\n' });
    const linked = join(tree.top, 'linked');
    git(tree.worktree, 'worktree', 'add', '-q', linked);
    execFileSync('bash', [
      '-c',
      `mkdir -p "$1/.git/info" && echo 'scratch*' > "$1/.git/info/exclude"`,
      'bash',
      tree.worktree,
    ]);
    expect(lstatSync(join(linked, '.git')).isFile()).toBe(true);
    const workspace = await openWorkspace({ worktree: linked, gitDir: tree.gitDir, stateDir: '.autobuild' });
    execFileSync('bash', ['-c', 'cd "$1" && echo x > scratch-1 && echo x > new.txt', 'bash', linked]);
    expect(await pathsOf(workspace)).toEqual(['new.txt']);
  });

  test('the user’s repository is not written to: index, objects and status stay as they are', async () => {
    const tree = makeWorktree({ 'a.txt': 'one\n' });
    const look = () =>
      execFileSync(
        'bash',
        ['-c', 'cd "$1" && find .git -type f | sort | xargs sha1sum', 'bash', tree.worktree],
        { encoding: 'utf8' },
      );
    const before = look();
    const workspace = await tree.open();
    tree.write('b.txt', 'new\n');
    await workspace.changes();
    await workspace.diff();
    await workspace.revert(['b.txt'], tree.aside);
    await workspace.restoreTree(workspace.base());
    expect(look()).toBe(before);
  });

  test('base and names survive a restart, whatever lock a killed git left', async () => {
    const tree = makeWorktree({ 'a.txt': 'one\n' });
    const first = await tree.open();
    tree.write('a.txt', 'two\n');
    execFileSync('touch', [join(tree.gitDir, 'index.lock')]);
    const second = await tree.open();
    expect(second.base()).toBe(first.base());
    expect(await pathsOf(second)).toEqual(['a.txt']);
  });

  test('a git directory inside the worktree is refused, also through a link', async () => {
    const tree = makeWorktree({ 'a.txt': 'one\n' });
    const open = (gitDir: string) =>
      openWorkspace({ worktree: tree.worktree, gitDir, stateDir: '.autobuild' });
    await expect(open(tree.at('x/git'))).rejects.toThrow(/inside the worktree/);
    symlinkSync(tree.worktree, join(tree.top, 'door'));
    await expect(open(join(tree.top, 'door/git'))).rejects.toThrow(/inside the worktree/);
    expect(existsSync(tree.at('x'))).toBe(false);
  });
});

describe('what verification writes', () => {
  test('is not counted as the agent’s, save where the agent had written before', async () => {
    const tree = makeWorktree({
      'src.ts': 'a\n',
      'lock.json': '1\n',
      'old.snap': 's\n',
      'touched.ts': 'x\n',
    });
    const workspace = await tree.open();
    tree.write('src.ts', 'agent\n');
    const before = await workspace.snapshot();
    tree.write('lock.json', '2\n');
    tree.write('coverage/report.txt', 'r\n');
    tree.write('src.ts', 'agent, formatted\n');
    tree.remove('old.snap');
    await workspace.absorb(before, await workspace.snapshot());
    expect(await pathsOf(workspace)).toEqual(['src.ts']);
    expect((await workspace.diff()).text).toContain('-a\n+agent, formatted\n');
    // From here on a change to such a file is the agent's again.
    tree.write('lock.json', '3\n');
    expect(await pathsOf(workspace)).toEqual(['lock.json', 'src.ts']);
    await workspace.revert(['lock.json'], tree.aside);
    expect(tree.read('lock.json')).toBe('2\n');
  });

  test('a directory that verification made where the agent has a file stays the agent’s matter', async () => {
    const tree = makeWorktree({ a: 'file\n' });
    const workspace = await tree.open();
    tree.write('a', 'agent\n');
    const before = await workspace.snapshot();
    tree.remove('a');
    tree.write('a/b', 'x\n');
    await workspace.absorb(before, await workspace.snapshot());
    expect(await pathsOf(workspace)).toEqual(['a', 'a/b']);
  });

  test('is taken over whole when the agent had changed nothing', async () => {
    const tree = makeWorktree({ 'a.txt': 'a\n' });
    const workspace = await tree.open();
    const before = await workspace.snapshot();
    tree.write('made.txt', 'x\n');
    const after = await workspace.snapshot();
    await workspace.absorb(before, after);
    expect(workspace.base()).toBe(after);
    expect(await pathsOf(workspace)).toEqual([]);
  });
});

describe('putting back', () => {
  test('E-6: a file outside the scope is untouched after it was put back, and comes in again on approval', async () => {
    const tree = makeWorktree({ 'src/payment/pay.ts': 'base\n', 'src/authentication/login.ts': 'base\n' });
    chmodSync(tree.at('src/payment/pay.ts'), 0o755);
    const workspace = await tree.open();
    tree.write('src/authentication/login.ts', 'agent\n');
    tree.write('src/payment/pay.ts', 'agent\n');
    tree.write('src/payment/deep/new.ts', 'agent\n');
    const items = await workspace.revert(['src/payment/pay.ts', 'src/payment/deep/new.ts'], tree.aside);
    expect(items.map((item) => [item.path, item.kind])).toEqual([
      ['src/payment/pay.ts', 'file'],
      ['src/payment/deep/new.ts', 'file'],
    ]);
    expect(tree.read('src/payment/pay.ts')).toBe('base\n');
    expect(lstatSync(tree.at('src/payment/pay.ts')).mode & 0o111).not.toBe(0);
    expect(existsSync(tree.at('src/payment/deep'))).toBe(false);
    expect(await pathsOf(workspace)).toEqual(['src/authentication/login.ts']);
    expect(await workspace.restoreAside(items)).toEqual(['src/payment/pay.ts', 'src/payment/deep/new.ts']);
    expect(tree.read('src/payment/pay.ts')).toBe('agent\n');
    expect(tree.read('src/payment/deep/new.ts')).toBe('agent\n');
  });

  test('E-5: the 21st file is put back and the 20 stay', async () => {
    const tree = makeWorktree({ 'f21.txt': 'base\n' });
    const workspace = await tree.open();
    for (let n = 1; n <= 21; n += 1) tree.write(`f${n}.txt`, 'agent\n');
    await workspace.revert(['f21.txt'], tree.aside);
    expect(tree.read('f21.txt')).toBe('base\n');
    expect(await pathsOf(workspace)).toHaveLength(20);
  });

  test('deleted files, links and directories in the place of files all come back and forth', async () => {
    const tree = makeWorktree({ 'gone.txt': 'base\n', 'link-me.txt': 'base\n', 'dir-me.txt': 'base\n' });
    symlinkSync('gone.txt', tree.at('was-link'));
    const workspace = await tree.open();
    tree.remove('gone.txt');
    tree.remove('link-me.txt');
    symlinkSync('/etc/passwd', tree.at('link-me.txt'));
    tree.remove('dir-me.txt');
    tree.write('dir-me.txt/inner.txt', 'agent\n');
    tree.remove('was-link');
    tree.write('was-link', 'now a file\n');
    const before = await workspace.changes();
    const paths = before.map((change) => change.path);
    expect(paths).toEqual(['dir-me.txt', 'dir-me.txt/inner.txt', 'gone.txt', 'link-me.txt', 'was-link']);
    const items = await workspace.revert(['dir-me.txt', 'gone.txt', 'link-me.txt', 'was-link'], tree.aside);
    expect(items.map((item) => item.kind)).toEqual(['directory', 'deleted', 'link', 'file']);
    expect(await pathsOf(workspace)).toEqual([]);
    expect(readlinkSync(tree.at('was-link'))).toBe('gone.txt');
    await workspace.restoreAside(items);
    expect(await workspace.changes()).toEqual(before);
    expect(readlinkSync(tree.at('link-me.txt'))).toBe('/etc/passwd');
  });

  test('what the agent wrote again since is not overwritten on approval', async () => {
    const tree = makeWorktree({ 'a.txt': 'base\n' });
    const workspace = await tree.open();
    tree.write('a.txt', 'first\n');
    tree.write('b.txt', 'first\n');
    const items = await workspace.revert(['a.txt', 'b.txt'], tree.aside);
    tree.write('a.txt', 'second\n');
    tree.write('b.txt/inner', 'second\n');
    expect(await workspace.restoreAside(items)).toEqual([]);
    expect(tree.read('a.txt')).toBe('second\n');
    expect(tree.read('b.txt/inner')).toBe('second\n');
  });

  test.each(['../outside.txt', '/etc/hosts', 'a/../../x', '.git/config', 'sub/.GIT/config', 'a\0b', ''])(
    'the path %j is refused and nothing else is lost',
    async (bad) => {
      const tree = makeWorktree({ 'a.txt': 'base\n' });
      const workspace = await tree.open();
      tree.write('../outside.txt', 'mine\n');
      tree.write('a.txt', 'agent\n');
      const [refused, done] = await workspace.revert([bad, 'a.txt'], tree.aside);
      expect(refused?.kind).toBe('refused');
      expect(done?.kind).toBe('file');
      expect(tree.read('../outside.txt')).toBe('mine\n');
      expect(existsSync(tree.at('.git/config'))).toBe(true);
    },
  );

  test('a link in the place of a directory is never written through', async () => {
    const tree = makeWorktree({ 'src/a.ts': 'base\n', 'src/same.ts': 'base\n' });
    const outside = makeTemporaryDirectory();
    const workspace = await tree.open();
    tree.remove('src');
    symlinkSync(outside, tree.at('src'));
    writeFileSync(join(outside, 'a.ts'), 'outside\n');
    writeFileSync(join(outside, 'same.ts'), 'base\n');
    expect(await workspace.changedPaths()).toEqual(['src', 'src/a.ts', 'src/same.ts']);
    expect((await workspace.changes()).map((change) => [change.path, change.status])).toEqual([
      ['src', 'added'],
      ['src/a.ts', 'deleted'],
      ['src/same.ts', 'deleted'],
    ]);
    const [item] = await workspace.revert(['src/a.ts'], tree.aside);
    expect(item).toMatchObject({ kind: 'refused', problem: expect.stringContaining('symbolic link') });
    expect(readFileSync(join(outside, 'a.ts'), 'utf8')).toBe('outside\n');
    // With the link itself it works: the link goes first.
    await workspace.revert(['src', 'src/a.ts'], tree.aside);
    expect(tree.read('src/a.ts')).toBe('base\n');
    expect(readFileSync(join(outside, 'a.ts'), 'utf8')).toBe('outside\n');
  });

  test('the aside directory must be outside the worktree', async () => {
    const tree = makeWorktree({ 'a.txt': 'base\n' });
    const workspace = await tree.open();
    tree.write('a.txt', 'agent\n');
    await expect(workspace.revert(['a.txt'], tree.at('aside'))).rejects.toThrow(/inside the worktree/);
    expect(tree.read('a.txt')).toBe('agent\n');
  });
});

describe('restoring a tree', () => {
  test('makes files equal and leaves what is ignored, the state directory and .git alone', async () => {
    const tree = makeWorktree({ 'a.txt': 'one\n', 'd/b.txt': 'two\n', '.gitignore': 'node_modules/\n' });
    tree.write('node_modules/x/index.js', 'dep\n');
    const workspace = await tree.open();
    const state = await openStateDir({ worktree: tree.worktree, stateDir: '.autobuild', taskId: 'issue-1' });
    tree.write('.autobuild/issue-1/report.json', '{}');
    tree.write('a.txt', 'changed\n');
    tree.remove('d');
    tree.write('new/file.txt', 'x\n');
    expect(await workspace.restoreTree(workspace.base())).toEqual([]);
    expect(tree.read('a.txt')).toBe('one\n');
    expect(tree.read('d/b.txt')).toBe('two\n');
    expect(existsSync(tree.at('new'))).toBe(false);
    expect(tree.read('node_modules/x/index.js')).toBe('dep\n');
    expect(existsSync(join(state.dir, 'report.json'))).toBe(true);
    expect(git(tree.worktree, 'status', '--porcelain')).toBe('');
  });

  test('goes to a later snapshot and back again', async () => {
    const tree = makeWorktree({ 'a.txt': 'one\n' });
    const workspace = await tree.open();
    tree.write('a.txt', 'two\n');
    tree.write('b.txt', 'new\n');
    const later = await workspace.snapshot();
    await workspace.restoreTree(workspace.base());
    expect(await pathsOf(workspace)).toEqual([]);
    await workspace.restoreTree(later);
    expect(await pathsOf(workspace)).toEqual(['a.txt', 'b.txt']);
    expect(await workspace.snapshot()).toBe(later);
  });

  test('a worktree that the agent deleted is told as gone and can be made anew', async () => {
    const tree = makeWorktree({ 'a.txt': 'one\n', 'd/run.sh': 'x\n' });
    chmodSync(tree.at('d/run.sh'), 0o755);
    const workspace = await tree.open();
    tree.write('a.txt', 'agent\n');
    const last = await workspace.snapshot();
    rmSync(tree.worktree, { recursive: true });
    for (const look of [
      () => workspace.changes(),
      () => workspace.changedPaths(),
      () => workspace.snapshot(),
      () => workspace.diff(),
    ]) {
      await expect(look()).rejects.toThrow(WorktreeGoneError);
    }
    expect(await workspace.restoreTree(last)).toEqual([]);
    expect(tree.read('a.txt')).toBe('agent\n');
    expect(lstatSync(tree.at('d/run.sh')).mode & 0o111).not.toBe(0);
    expect(await pathsOf(workspace)).toEqual(['a.txt']);
  });

  test('a link in the place of the worktree is not followed', async () => {
    const tree = makeWorktree({ 'a.txt': 'one\n' });
    const outside = makeTemporaryDirectory();
    const workspace = await tree.open();
    rmSync(tree.worktree, { recursive: true });
    symlinkSync(outside, tree.worktree);
    await expect(workspace.changedPaths()).rejects.toThrow(WorktreeGoneError);
    await expect(workspace.restoreTree(workspace.base())).rejects.toThrow(/no longer a directory/);
    expect(existsSync(join(outside, 'a.txt'))).toBe(false);
  });

  test('a link in the place of a directory is replaced, not followed', async () => {
    const tree = makeWorktree({ 'src/a.ts': 'base\n' });
    const outside = makeTemporaryDirectory();
    const workspace = await tree.open();
    tree.remove('src');
    symlinkSync(outside, tree.at('src'));
    await workspace.restoreTree(workspace.base());
    expect(tree.read('src/a.ts')).toBe('base\n');
    expect(existsSync(join(outside, 'a.ts'))).toBe(false);
  });
});

describe('what git would not show', () => {
  test('files in a repository that the agent planted do not hide', async () => {
    const tree = makeWorktree({ 'src/a.ts': 'a\n' });
    const workspace = await tree.open();
    mkdirSync(tree.at('vendor'));
    git(tree.at('vendor'), 'init', '-q');
    tree.write('vendor/evil.ts', 'x\n');
    mkdirSync(tree.at('vendor/inner'));
    git(tree.at('vendor/inner'), 'init', '-q');
    tree.write('vendor/inner/evil.ts', 'x\n');
    const hidden = ['vendor/.git', 'vendor/evil.ts', 'vendor/inner/.git', 'vendor/inner/evil.ts'];
    expect(await workspace.changedPaths()).toEqual(hidden);
    expect(await pathsOf(workspace)).toEqual(hidden);
    tree.write('vendor/inner/later.ts', 'x\n');
    expect(await workspace.changedPaths()).toContain('vendor/inner/later.ts');
    await workspace.restoreTree(workspace.base());
    expect(existsSync(tree.at('vendor/evil.ts'))).toBe(false);
  });

  test('a .git planted in a directory of the project, or spelled otherwise, shows', async () => {
    const tree = makeWorktree({ 'src/a.ts': 'a\n' });
    const workspace = await tree.open();
    git(tree.at('src'), 'init', '-q');
    tree.write('src/b.ts', 'b\n');
    tree.write('.GIT/config', 'x\n');
    tree.write('git~1', 'x\n');
    expect(await pathsOf(workspace)).toEqual(['.GIT/config', 'git~1', 'src/.git', 'src/b.ts']);
  });

  test('a submodule is a directory with files; its own .git is no change', async () => {
    const library = makeWorktree({ 'lib.ts': 'l\n' });
    const tree = makeWorktree({ 'a.txt': 'a\n' });
    git(tree.worktree, 'submodule', '--quiet', 'add', library.worktree, 'lib');
    git(tree.worktree, 'commit', '-qm', 'submodule');
    const workspace = await tree.open();
    expect(await pathsOf(workspace)).toEqual([]);
    tree.write('lib/lib.ts', 'changed\n');
    tree.write('lib/new.ts', 'n\n');
    expect(await pathsOf(workspace)).toEqual(['lib/lib.ts', 'lib/new.ts']);
    await workspace.revert(['lib/lib.ts', 'lib/new.ts'], tree.aside);
    expect(await pathsOf(workspace)).toEqual([]);
    expect(git(tree.worktree, 'status', '--porcelain')).toBe('');
  });

  test.each(['file', 'link', 'nothing'])('a .git replaced by a %s changes nothing for us', async (kind) => {
    const tree = makeWorktree({ 'a.txt': 'a\n' });
    const workspace = await tree.open();
    tree.remove('.git');
    if (kind === 'file') tree.write('.git', 'gitdir: /nonexistent\n');
    if (kind === 'link') symlinkSync('/nonexistent', tree.at('.git'));
    tree.write('a.txt', 'b\n');
    expect(await pathsOf(workspace)).toEqual(['a.txt']);
    expect((await workspace.diff()).text).toContain('+b');
    await workspace.restoreTree(workspace.base());
    expect(tree.read('a.txt')).toBe('a\n');
  });

  // Reading it would take longer than a test may.
  test('a terabyte is counted by its size, not read', async () => {
    const tree = makeWorktree({ 'small.bin': 'x' });
    const workspace = await tree.open();
    tree.write('huge.bin', '');
    truncateSync(tree.at('huge.bin'), 2 ** 40);
    truncateSync(tree.at('small.bin'), 41 * 2 ** 20);
    expect(await pathsOf(workspace)).toEqual(['huge.bin', 'small.bin']);
    expect(await workspace.changes()).toEqual([
      {
        path: 'huge.bin',
        status: 'added',
        added: 0,
        removed: 0,
        binary: true,
        mode: '100644',
        size: 2 ** 40,
      },
      {
        path: 'small.bin',
        status: 'modified',
        added: 0,
        removed: 1,
        binary: true,
        mode: '100644',
        size: 41 * 2 ** 20,
      },
    ]);
    await workspace.snapshot();
    const items = await workspace.revert(['huge.bin', 'small.bin'], tree.aside);
    expect(items.map((item) => item.kind)).toEqual(['file', 'file']);
    expect(tree.read('small.bin')).toBe('x');
    expect(await pathsOf(workspace)).toEqual([]);
    await workspace.restoreAside(items);
    expect(await pathsOf(workspace)).toEqual(['huge.bin', 'small.bin']);
  });

  test('a large file of the base is known by size and time; putting it back is refused, not faked', async () => {
    const tree = makeWorktree({ 'model.bin': 'x'.repeat(5000), 'a.txt': 'a\n' });
    const workspace = await tree.open({ maxContentBytes: 1000 });
    expect(await pathsOf(workspace)).toEqual([]);
    tree.write('model.bin', 'y'.repeat(6000));
    expect(await pathsOf(workspace)).toEqual(['model.bin']);
    const [item] = await workspace.revert(['model.bin'], tree.aside);
    expect(item).toMatchObject({ kind: 'refused', problem: expect.stringContaining('no copy') });
    expect(tree.read('model.bin')).toBe('y'.repeat(6000));
    expect(await workspace.restoreTree(workspace.base())).toEqual(['model.bin']);
    expect(tree.read('model.bin')).toBe('y'.repeat(6000));
  });

  test('a pipe in the place of a file does not hang anything', async () => {
    const tree = makeWorktree({ 'a.txt': 'a\n' });
    const workspace = await tree.open();
    tree.remove('a.txt');
    execFileSync('mkfifo', [tree.at('a.txt'), tree.at('pipe')]);
    expect(await pathsOf(workspace)).toEqual(['a.txt']);
  });

  test('T-4: pipes and sockets are listed where git would show a file, and behind no link', async () => {
    const tree = makeWorktree({ 'a.txt': 'a\n', '.gitignore': 'out/\n*.sock\n', 'dir/b.txt': 'b\n' });
    const workspace = await tree.open();
    expect(await workspace.special()).toEqual([]);
    tree.write('out/built.txt', 'x');
    mkdirSync(tree.at('only/pipes'), { recursive: true });
    mkdirSync(tree.at('.autobuild'), { recursive: true });
    symlinkSync(tree.top, tree.at('link'));
    const pipes = [
      'pipe',
      'dir/pipe',
      'only/pipes/one',
      'out/pipe',
      'x.sock',
      '.git/pipe',
      '.autobuild/pipe',
    ];
    execFileSync('mkfifo', [...pipes.map((path) => tree.at(path)), join(tree.top, 'elsewhere')]);
    const server = createServer();
    await new Promise<void>((done) => server.listen(tree.at('socket'), done));
    expect(await workspace.special()).toEqual(['dir/pipe', 'only/pipes/one', 'pipe', 'socket']);
    server.close();
  });

  test('T-4: a revert removes a pipe without opening it, with the directories made for it, and brings back its file', async () => {
    const tree = makeWorktree({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    const workspace = await tree.open();
    tree.remove('a.txt');
    mkdirSync(tree.at('new/dir'), { recursive: true });
    execFileSync('mkfifo', [tree.at('a.txt'), tree.at('new/dir/pipe')]);
    const items = await workspace.revert(['a.txt', 'new/dir/pipe'], tree.aside);
    expect(items).toEqual([
      { path: 'a.txt', kind: 'deleted' },
      { path: 'new/dir/pipe', kind: 'deleted' },
    ]);
    expect(tree.read('a.txt')).toBe('a\n');
    expect(existsSync(tree.at('new'))).toBe(false);
  });
});

describe('the diff', () => {
  test('is plain, against the base, for the paths asked for', async () => {
    const tree = makeWorktree({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
    const workspace = await tree.open();
    tree.write('a.txt', 'two\n');
    tree.write('b.txt', 'two\n');
    tree.write('*.txt', 'star\n');
    const { text, cut } = await workspace.diff(['a.txt']);
    expect(text).toMatch(/^diff --git a\/a\.txt b\/a\.txt\n/);
    expect(text).toContain('-one\n+two\n');
    expect(text).not.toContain('b.txt');
    expect(cut).toBe(false);
    expect((await workspace.diff(['*.txt'])).text).not.toContain('one');
    expect((await workspace.diff([])).text).toBe('');
  });

  test('is capped, and never ends in half a character', async () => {
    const tree = makeWorktree({ 'a.txt': '' });
    const workspace = await tree.open();
    tree.write('a.txt', '語'.repeat(100_000));
    for (const maxBytes of [1000, 1001, 1002]) {
      const { text, cut } = await workspace.diff(undefined, maxBytes);
      expect(cut).toBe(true);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes);
      expect(Buffer.byteLength(text)).toBeGreaterThan(maxBytes - 3);
      expect(text).not.toContain('\uFFFD');
    }
  });
});

test('what is asked at the same time is done one after the other', async () => {
  const tree = makeWorktree({ 'a.txt': 'one\n' });
  const workspace = await tree.open();
  for (let n = 0; n < 50; n += 1) tree.write(`f${n}.txt`, `${n}\n`);
  const written = await workspace.changedPaths();
  expect(written).toHaveLength(50);
  const [later, , none, items] = await Promise.all([
    workspace.snapshot(),
    workspace.restoreTree(workspace.base()),
    workspace.changedPaths(),
    workspace.revert(written, tree.aside),
  ]);
  expect(none).toEqual([]);
  expect(items.every((item) => item.kind === 'deleted')).toBe(true);
  await Promise.all([workspace.restoreTree(later), workspace.setBase(later)]);
  expect(await pathsOf(workspace)).toEqual([]);
});
