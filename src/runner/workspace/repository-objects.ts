import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { parseTree, parseTreeDiff, type RawChange, type TreeEntry } from './tree-diff.ts';

/** GitHub takes files of 100 MiB. */
const MAX_BYTES = 128 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

/** Committed objects of the user's own repository. None of its hooks, filters or settings are used. */
export interface RepositoryObjects {
  /** The commit that is checked out. */
  head(): Promise<string>;
  list(commit: string, paths: readonly string[]): Promise<Map<string, TreeEntry>>;
  blob(id: string): Promise<Buffer>;
  /** The text of a file at a commit. Undefined if the commit does not have it. */
  file(commit: string, path: string): Promise<string | undefined>;
  /** False if the commit was not fetched. */
  has(commit: string): Promise<boolean>;
  /** The entries at which the second commit differs from the first one. A renamed file is two of them. */
  changes(from: string, to: string): Promise<RawChange[]>;
  /** Makes the commit the one that is checked out, for whoever asks git. No file of the worktree is touched. */
  setHead(commit: string): Promise<void>;
}

export function openRepositoryObjects(worktree: string, path: string | undefined): RepositoryObjects {
  const git = async (...args: string[]): Promise<Buffer> => {
    const { stdout } = await promisify(execFile)('git', ['--no-pager', '--literal-pathspecs', ...args], {
      cwd: worktree,
      encoding: 'buffer',
      maxBuffer: MAX_BYTES,
      timeout: TIMEOUT_MS,
      env: environmentFor(path),
    });
    return stdout;
  };
  const list = async (commit: string, paths: readonly string[]) =>
    parseTree(await git('ls-tree', '-r', '-z', '--full-tree', commit, '--', ...paths));
  const blob = (id: string) => git('cat-file', 'blob', id);
  return {
    list,
    blob,
    has: (commit) =>
      git('cat-file', '-e', `${commit}^{commit}`).then(
        () => true,
        () => false,
      ),
    changes: async (from, to) =>
      parseTreeDiff(await git('diff-tree', '-r', '-z', '--raw', '--no-renames', from, to)).raw,
    async setHead(commit) {
      await git(...QUIET, 'update-ref', '--no-deref', 'HEAD', commit);
      await git(...QUIET, 'read-tree', commit);
    },
    head: async () => (await git('rev-parse', '--verify', 'HEAD^{commit}')).toString('utf8').trim(),
    async file(commit, file) {
      const entry = (await list(commit, [file])).get(file);
      return entry && (await blob(entry.id)).toString('utf8');
    },
  };
}

/** Set-up steps may have named hooks and a monitor that are files of the worktree. */
const QUIET = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false'];

function environmentFor(path: string | undefined): NodeJS.ProcessEnv {
  return {
    ...(path === undefined ? {} : { PATH: path }),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    // The checkout may belong to another user than the job, most likely a container's root.
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'safe.directory',
    GIT_CONFIG_VALUE_0: '*',
    GIT_NO_LAZY_FETCH: '1',
    GIT_TERMINAL_PROMPT: '0',
  };
}
