import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 16 * 1024 * 1024;
/** Set by git for its hooks. They would lead git to another repository than the one in question. */
const MISLEADING = /^GIT_(DIR|WORK_TREE|INDEX_FILE|PREFIX|COMMON_DIR|OBJECT_DIRECTORY|NAMESPACE)$/;
/** Programs that a repository's configuration can name, and that a look at it does not need. */
const QUIET = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'core.quotePath=false'];

interface UserGit {
  /** The output, or the reason why git failed. */
  run(directory: string, ...args: string[]): Promise<{ ok: boolean; text: string }>;
}

/** The user's git in the user's repository, with the user's settings but without hooks. */
export function openUserGit(env: Record<string, string>, own: { GIT_INDEX_FILE?: string } = {}): UserGit {
  const clean = Object.fromEntries(Object.entries(env).filter(([name]) => !MISLEADING.test(name)));
  return {
    run: (directory, ...args) =>
      new Promise((resolve) => {
        const options = {
          cwd: directory,
          env: { ...clean, ...own, LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' },
          timeout: TIMEOUT_MS,
          maxBuffer: MAX_BYTES,
          encoding: 'utf8' as const,
        };
        execFile('git', [...QUIET, ...args], options, (error, stdout, stderr) =>
          resolve(error ? { ok: false, text: stderr.trim() || error.message } : { ok: true, text: stdout }),
        );
      }),
  };
}

/**
 * The top of the repository that the directory is part of, or the directory itself if it is part of none. A repository of
 * the whole home directory does not count, nor one that ignores the directory.
 */
export async function repositoryTop(directory: string, env: Record<string, string>): Promise<string> {
  for (let at = directory; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) {
      if (at === directory) return at;
      const ignored = await openUserGit(env).run(at, 'check-ignore', '-q', '--', relative(at, directory));
      return at === env.HOME || ignored.ok ? directory : at;
    }
    if (dirname(at) === at) return directory;
  }
}

interface GitStatus {
  /** Paths that differ from the last commit, new files included. */
  changed: { path: string; isNew: boolean }[];
  /** Why git cannot say it. */
  problem?: string;
}

/** The result of `git status`. Undefined where there is no repository. */
export async function gitStatus(top: string, env: Record<string, string>): Promise<GitStatus | undefined> {
  if (!existsSync(join(top, '.git'))) return undefined;
  const { ok, text } = await openUserGit(env).run(
    top,
    'status',
    '--porcelain=v1',
    '-z',
    '-uall',
    '--no-renames',
  );
  if (!ok) return { changed: [], problem: text.split('\n')[0] };
  const entries = text.split('\0').filter((entry) => entry !== '');
  return { changed: entries.map((entry) => ({ path: entry.slice(3), isNew: entry.startsWith('??') })) };
}
