import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { locate, makeWorktree, refuseDirtyTree } from '../../src/cli/choose-worktree.ts';
import { openHome } from '../../src/cli/home.ts';

const AUTHOR = ['-c', 'user.name=ann', '-c', 'user.email=ann@example.org'];

function repository() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'autobuild-place-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const top = join(root, 'repo');
  mkdirSync(join(top, 'packages/a'), { recursive: true });
  const env = { PATH: process.env.PATH ?? '', HOME: root };
  const git = (...args: string[]) =>
    execFileSync('git', [...AUTHOR, ...args], { cwd: top, encoding: 'utf8', env });
  const write = (path: string, text = path) => writeFileSync(join(top, path), text);
  git('init', '-q');
  write('.gitignore', 'scratch/\n');
  write('packages/a/index.js');
  git('add', '-A');
  git('commit', '-qm', 'first');
  return { root, top, env, git, write };
}

const options = { argv: ['run', 'TASK.md'], dirty: false, worktree: false, operands: ['TASK.md'] };

test('T-5: a subdirectory belongs to the whole repository, but not to one that ignores it or is the home directory', async () => {
  const { root, top, env } = repository();
  expect(await locate(join(top, 'packages/a'), env)).toEqual({ top, part: 'packages/a' });
  expect(await locate(top, env)).toEqual({ top, part: '' });
  mkdirSync(join(top, 'scratch/try'), { recursive: true });
  expect(await locate(join(top, 'scratch/try'), env)).toEqual({ top: join(top, 'scratch/try'), part: '' });
  const sub = join(top, 'packages');
  expect(await locate(sub, { ...env, HOME: top })).toEqual({ top: sub, part: '' });
  expect(await locate(root, env)).toEqual({ top: root, part: '' });
});

test('T-3: uncommitted changes are refused by name, with both ways out; a task file that is not committed is none', async () => {
  const { top, env, write } = repository();
  const place = { top, part: '' };
  const task = { ...options, operands: [join(top, 'TASK.md')] };
  write('TASK.md');
  await expect(refuseDirtyTree(place, task, env)).resolves.toBeUndefined();
  write('packages/a/index.js', 'mine');
  write('nötes.txt');
  await expect(refuseDirtyTree(place, task, env)).rejects.toMatchObject({
    message: '2 files have uncommitted changes: packages/a/index.js, nötes.txt',
    remedy: expect.stringMatching(/--worktree[\s\S]*--dirty[\s\S]*Nothing was started/),
  });
  await expect(refuseDirtyTree(place, { ...task, dirty: true }, env)).resolves.toBeUndefined();
  // Variables that git sets for its hooks must not lead to another repository.
  await expect(refuseDirtyTree(place, task, { ...env, GIT_DIR: '/nowhere' })).rejects.toThrow('2 files');
});

test('T-3: without a commit, --worktree is not offered, because there is nothing to make one from', async () => {
  const { top, env, git } = repository();
  git('update-ref', '-d', 'HEAD');
  const remedy = await refuseDirtyTree({ top, part: '' }, options, env).then(
    () => '',
    (error: { remedy: string }) => error.remedy,
  );
  expect(remedy).toContain('Commit them first.');
  expect(remedy).toContain('--dirty');
  expect(remedy).not.toContain('--worktree');
});

test.each([
  [['run', 'TASK.md', '--agent', 'claude'], 'autobuild run TASK.md --agent claude --worktree'],
  [
    ['run', '--task', "Don't guess", '--verify', 'make test', '--', './agent.sh', '--fast'],
    `autobuild run --task 'Don'\\''t guess' --verify 'make test' --worktree -- ./agent.sh --fast`,
  ],
  [['run', '-', '--agent', 'claude'], undefined],
  [['run', '--task', 'Two\nlines'], undefined],
  [['run', '--task', 'x'.repeat(400)], undefined],
])('T-3: %j in a dirty tree is offered again with --worktree, if it can be pasted', async (argv, line) => {
  const { top, env, write } = repository();
  write('mine.txt');
  const operands = argv[1] === '-' ? ['-'] : [];
  const refused = refuseDirtyTree({ top, part: '' }, { ...options, argv, operands }, env);
  const remedy = await refused.then(
    () => '',
    (error: { remedy: string }) => error.remedy,
  );
  expect(/^ +(autobuild run .*)$/m.exec(remedy)?.[1]).toBe(line);
  expect(remedy).toContain('--worktree');
});

test('T-3: a worktree of its own has the last commit on a branch of its own; without a commit it is refused', async () => {
  const { root, top, env, git, write } = repository();
  const home = openHome({ AUTOBUILD_HOME: join(root, 'home') });
  write('packages/a/index.js', 'mine');
  const made = await makeWorktree({ top, part: '' }, { id: 'k7m2q9', task: 'Größe der Karte' }, home, env);
  expect(made).toEqual({
    directory: join(root, 'home/worktrees/k7m2q9'),
    branch: 'autobuild/gr-e-der-karte-k7m2q9',
  });
  expect(git('-C', made.directory, 'status', '--porcelain')).toBe('');
  expect(git('-C', made.directory, 'branch', '--show-current').trim()).toBe(made.branch);
  const empty = join(root, 'empty');
  mkdirSync(empty);
  execFileSync('git', ['init', '-q'], { cwd: empty });
  await expect(
    makeWorktree({ top: empty, part: '' }, { id: 'x', task: 't' }, home, env),
  ).rejects.toMatchObject({
    code: 'worktree_not_made',
    remedy: expect.stringContaining('at least one commit'),
  });
});
