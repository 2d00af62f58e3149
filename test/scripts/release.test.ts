import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const ROOT = join(import.meta.dirname, '../..');
const FILES = ['src', 'scripts', 'action.yml', 'LICENSE', 'package.json', '.gitignore'];
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const TAG = `v${version}`;
const MAJOR = `v${version.split('.')[0]}`;

let directory: string;
let clone: string;
const git = (...args: string[]) => execFileSync('git', args, { cwd: clone, encoding: 'utf8' }).trim();

/** A copy of Autobuild as a repository of its own, with a remote beside it. */
beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'autobuild-release-test-')));
  clone = join(directory, 'clone');
  mkdirSync(clone);
  for (const file of FILES) cpSync(join(ROOT, file), join(clone, file), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'Rosa');
  git('config', 'user.email', 'rosa@example.com');
  for (const name of ['commit.gpgSign', 'tag.gpgSign']) git('config', name, 'false');
  writeFileSync(join(clone, '.git/info/exclude'), 'node_modules\n');
  git('add', '.');
  git('commit', '--quiet', '--message', 'all of it');
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', join(directory, 'remote.git')]);
  git('remote', 'add', 'origin', join(directory, 'remote.git'));
  git('push', '--quiet', 'origin', 'main');
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function release(...args: string[]) {
  const script = join(clone, 'scripts/release.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    cwd: directory,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test('a release is a commit beside main with the bundle in it; main and the worktree stay as they are', () => {
  const before = git('rev-parse', 'main');
  const rehearsed = release();
  expect(rehearsed).toMatchObject({ status: 0, stderr: '' });
  expect(rehearsed.stdout).toContain(`Would be tagged ${TAG} and ${MAJOR}. Nothing was made`);
  expect(git('tag', '--list')).toBe('');

  const made = release('--yes');
  expect(made).toMatchObject({ status: 0, stderr: '' });
  const commands = /^ {2}(git push .*)$/m.exec(made.stdout)?.[1] ?? '';
  expect(commands).toBe(`git push origin ${TAG} && git push --force origin ${MAJOR}`);
  expect(git('ls-remote', '--tags', 'origin')).toBe('');
  execFileSync('sh', ['-c', commands], { cwd: clone, stdio: 'pipe' });

  const commit = git('rev-parse', `${TAG}^{commit}`);
  expect(git('rev-parse', MAJOR)).toBe(commit);
  expect(git('rev-parse', `${commit}^`)).toBe(before);
  expect(git('diff', '--name-status', before, commit).split('\n')).toEqual([
    'A\tdist/action.js',
    'A\tdist/licenses.txt',
  ]);
  expect(git('branch', '--contains', commit)).toBe('');
  expect(git('ls-remote', 'origin', 'main')).toBe(`${before}\trefs/heads/main`);
  expect([git('rev-parse', 'main'), git('status', '--porcelain')]).toEqual([before, '']);
});

test('what users get by the tag is an action that starts', () => {
  const used = join(directory, 'used');
  const origin = join(directory, 'remote.git');
  execFileSync('git', ['clone', '--quiet', '--depth=1', `--branch=${MAJOR}`, `file://${origin}`, used], {
    stdio: 'pipe',
  });
  const { main } = /main: (?<main>\S+)/.exec(readFileSync(join(used, 'action.yml'), 'utf8'))?.groups ?? {};
  const started = spawnSync(process.execPath, [join(used, main ?? '')], {
    cwd: used,
    env: {},
    encoding: 'utf8',
  });
  expect(started.status).toBe(1);
  expect(started.stdout + started.stderr).toContain('GITHUB_EVENT_PATH');
});

test('the same version twice, and changes that are not committed, are refused', () => {
  expect(release('--yes')).toMatchObject({
    status: 1,
    stderr: `✗ The tag ${TAG} is there already.\n  Raise \`version\` in package.json first.\n`,
  });
  writeFileSync(join(clone, 'LICENSE'), 'Mine\n');
  const { status, stderr } = release('--yes');
  expect([status, stderr]).toEqual([1, expect.stringContaining('has changes that are not committed')]);
});
