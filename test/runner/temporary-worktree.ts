import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openWorkspace } from '../../src/runner/workspace/workspace.ts';

/** Git as a person would run it, with an identity and nothing of the machine's own settings. */
export function git(cwd: string, ...args: string[]): string {
  const env = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'A',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  };
  return execFileSync('git', ['-c', 'protocol.file.allow=always', ...args], {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export function makeTemporaryDirectory(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'autobuild-')));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export type TemporaryWorktree = ReturnType<typeof makeWorktree>;

/** A user's repository with these files committed (or no repository), and room outside it. */
export function makeWorktree(files: Record<string, string> = {}, { repository = true } = {}) {
  const top = makeTemporaryDirectory();
  const worktree = join(top, 'worktree');
  mkdirSync(worktree);
  const write = (path: string, content: string | Buffer) => {
    mkdirSync(dirname(join(worktree, path)), { recursive: true });
    writeFileSync(join(worktree, path), content);
  };
  for (const [path, content] of Object.entries(files)) write(path, content);
  if (repository) {
    git(worktree, 'init', '-q');
    git(worktree, 'add', '-A');
    git(worktree, 'commit', '-q', '--allow-empty', '-m', 'start');
  }
  const gitDir = join(top, 'trusted.git');
  return {
    top,
    worktree,
    gitDir,
    aside: join(top, 'aside'),
    write,
    read: (path: string) => readFileSync(join(worktree, path), 'utf8'),
    remove: (path: string) => rmSync(join(worktree, path), { recursive: true, force: true }),
    at: (path: string) => join(worktree, path),
    open: (options: { maxContentBytes?: number } = {}) =>
      openWorkspace({ worktree, gitDir, stateDir: '.autobuild', ...options }),
  };
}
