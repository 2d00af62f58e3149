import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  openStateDir,
  readAgentFile,
  removeIfThere,
  writePrivate,
} from '../../../src/runner/job/state-dir.ts';
import { git, makeTemporaryDirectory, makeWorktree } from '../temporary-worktree.ts';

const open = (worktree: string, stateDir = '.autobuild', taskId = 'issue-7') =>
  openStateDir({ worktree, stateDir, taskId });

describe('the state directory', () => {
  test('B-6: nothing of it is in the user’s git status, nor added by git add -A', async () => {
    const tree = makeWorktree({ 'a.txt': 'a\n' });
    const state = await open(tree.worktree);
    expect(state).toEqual({ dir: tree.at('.autobuild/issue-7'), path: '.autobuild/issue-7' });
    await writePrivate(tree.worktree, '.autobuild/issue-7/blocked_report.json', '{}');
    expect(git(tree.worktree, 'status', '--porcelain', '--untracked-files=all')).toBe('');
    git(tree.worktree, 'add', '-A');
    expect(git(tree.worktree, 'diff', '--cached', '--name-only')).toBe('');
    expect(git(tree.worktree, 'ls-files')).toBe('a.txt\n');
  });

  test('B-6: state_dir moves it, and it is excluded there as well', async () => {
    const tree = makeWorktree({ 'a.txt': 'a\n' });
    const state = await open(tree.worktree, 'var/robots');
    writeFileSync(join(state.dir, 'x.json'), '{}');
    expect(state.path).toBe('var/robots/issue-7');
    expect(git(tree.worktree, 'status', '--porcelain', '--untracked-files=all')).toBe('');
  });

  test('opening it again keeps what is in it and repairs the exclusion', async () => {
    const tree = makeWorktree();
    await open(tree.worktree);
    tree.write('.autobuild/issue-7/kept.json', '{}');
    tree.write('.autobuild/.gitignore', '!*\n');
    await open(tree.worktree);
    expect(tree.read('.autobuild/issue-7/kept.json')).toBe('{}');
    expect(tree.read('.autobuild/.gitignore')).toBe('*\n');
  });

  test.each(['.autobuild', '.autobuild/issue-7'])('a link at %s is refused by name', async (path) => {
    const tree = makeWorktree();
    const outside = makeTemporaryDirectory();
    if (path !== '.autobuild') mkdirSync(tree.at('.autobuild'));
    symlinkSync(outside, tree.at(path));
    await expect(open(tree.worktree)).rejects.toThrow(`${tree.at(path)} is a symbolic link`);
    expect(readdirSync(outside)).toEqual([]);
  });

  test('a link at its .gitignore is replaced, not written through', async () => {
    const tree = makeWorktree();
    const outside = join(makeTemporaryDirectory(), 'precious');
    writeFileSync(outside, 'precious');
    mkdirSync(tree.at('.autobuild'));
    symlinkSync(outside, tree.at('.autobuild/.gitignore'));
    await open(tree.worktree);
    expect(readFileSync(outside, 'utf8')).toBe('precious');
    expect(tree.read('.autobuild/.gitignore')).toBe('*\n');
  });

  test.each([
    ['../x', 'issue-1'],
    ['/tmp/x', 'issue-1'],
    ['.git/x', 'issue-1'],
    ['.autobuild', '../x'],
    ['.autobuild', 'a/b'],
    ['.autobuild', ''],
  ])('state_dir %j with task %j is refused', async (stateDir, taskId) => {
    const tree = makeWorktree();
    await expect(open(tree.worktree, stateDir, taskId)).rejects.toThrow(
      JSON.stringify(taskId === 'issue-1' ? stateDir : taskId),
    );
  });
});

describe('reading what the agent wrote', () => {
  test('a file is read whole', async () => {
    const tree = makeWorktree({ 'd/report.json': '{"é":1}' });
    expect(await readAgentFile(tree.worktree, 'd/report.json')).toEqual({ ok: true, text: '{"é":1}' });
  });

  test('a file of exactly the allowed size is read, one byte more is not, and its size is told', async () => {
    const tree = makeWorktree({ a: 'x'.repeat(10), b: 'x'.repeat(11) });
    expect((await readAgentFile(tree.worktree, 'a', 10)).ok).toBe(true);
    expect(await readAgentFile(tree.worktree, 'b', 10)).toMatchObject({
      problem: 'too_large',
      detail: expect.stringContaining('11 bytes'),
    });
  });

  test('S-12: a terabyte is refused without being read', async () => {
    const tree = makeWorktree({ a: '' });
    truncateSync(tree.at('a'), 2 ** 40);
    expect(await readAgentFile(tree.worktree, 'a')).toMatchObject({ ok: false, problem: 'too_large' });
  });

  test('S-12: links are not followed, at the end or on the way', async () => {
    const outside = makeTemporaryDirectory();
    writeFileSync(join(outside, 'secret'), 'secret');
    const tree = makeWorktree({ 'real/secret': 'inside' });
    symlinkSync(join(outside, 'secret'), tree.at('link'));
    symlinkSync(outside, tree.at('dir'));
    symlinkSync('real', tree.at('inner'));
    for (const path of ['link', 'dir/secret', 'inner/secret']) {
      expect(await readAgentFile(tree.worktree, path)).toMatchObject({ ok: false, problem: 'symlink' });
    }
  });

  test('works when the worktree itself is reached through a link', async () => {
    const tree = makeWorktree({ a: 'x' });
    symlinkSync(tree.worktree, join(tree.top, 'door'));
    expect(await readAgentFile(join(tree.top, 'door'), 'a')).toEqual({ ok: true, text: 'x' });
  });

  test('what is missing, no file, no text, or outside is told apart', async () => {
    const tree = makeWorktree({ 'd/x': '' });
    tree.write('bytes', Buffer.from([0xff, 0xfe, 0x41]));
    execFileSync('mkfifo', [tree.at('pipe')]);
    const problem = async (path: string) => {
      const read = await readAgentFile(tree.worktree, path);
      return read.ok ? 'none' : read.problem;
    };
    expect(await problem('nothing')).toBe('missing');
    expect(await problem('d/x/y')).toBe('missing');
    expect(await problem('d')).toBe('not_a_file');
    expect(await problem('pipe')).toBe('not_a_file');
    expect(await problem('bytes')).toBe('not_utf8');
    expect(await problem('../trusted.git')).toBe('unreadable');
  });
});

describe('writing and removing', () => {
  test('a file is written whole, with its mode, and leaves nothing beside it', async () => {
    const tree = makeWorktree();
    await writePrivate(tree.worktree, 's/inputs.json', 'one');
    await writePrivate(tree.worktree, 's/inputs.json', 'two', 0o640);
    expect(tree.read('s/inputs.json')).toBe('two');
    expect(lstatSync(tree.at('s/inputs.json')).mode & 0o777).toBe(0o640);
    expect(readdirSync(tree.at('s'))).toEqual(['inputs.json']);
  });

  test('a link on the way is an error, a link at the end is replaced', async () => {
    const tree = makeWorktree();
    const outside = makeTemporaryDirectory();
    writeFileSync(join(outside, 'f'), 'precious');
    symlinkSync(outside, tree.at('dir'));
    symlinkSync(join(outside, 'f'), tree.at('link'));
    await expect(writePrivate(tree.worktree, 'dir/f', 'x')).rejects.toThrow(/symbolic link/);
    await writePrivate(tree.worktree, 'link', 'mine');
    expect(readFileSync(join(outside, 'f'), 'utf8')).toBe('precious');
    expect(tree.read('link')).toBe('mine');
  });

  test('removing takes the link, not what it points at, and no directory', async () => {
    const tree = makeWorktree({ 'd/x': 'x' });
    const outside = makeTemporaryDirectory();
    writeFileSync(join(outside, 'f'), 'precious');
    symlinkSync(join(outside, 'f'), tree.at('link'));
    symlinkSync(outside, tree.at('dir'));
    expect(await removeIfThere(tree.worktree, 'link')).toBe(true);
    expect(await removeIfThere(tree.worktree, 'link')).toBe(false);
    expect(await removeIfThere(tree.worktree, 'dir/f')).toBe(false);
    expect(await removeIfThere(tree.worktree, 'd')).toBe(false);
    expect(existsSync(join(outside, 'f'))).toBe(true);
    expect(existsSync(tree.at('d/x'))).toBe(true);
  });
});
