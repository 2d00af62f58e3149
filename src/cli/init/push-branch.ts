import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { userError } from '../../core/error-catalogue.ts';
import { openUserGit } from '../user-git.ts';
import type { PlannedFile } from './planned-file.ts';
import type { Remote } from './remote.ts';

export const BRANCH = 'autobuild-init';
const MESSAGE = 'Add Autobuild';

/** The default branch of the remote, as it is there now. */
export interface Base {
  branch: string;
  commit: string;
}

/** Fetches the default branch, because a clone may be behind it, on another branch, or on none. */
export async function fetchBase(top: string, remote: Remote, env: Record<string, string>): Promise<Base> {
  const git = openUserGit(env);
  const listed = await git.run(top, 'ls-remote', '--symref', remote.name, 'HEAD');
  const [, branch] = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(listed.text) ?? [];
  if (!listed.ok || branch === undefined)
    throw refuse(remote, listed.ok ? 'it has no commits yet; push the first one' : listed.text);
  const fetched = await git.run(top, 'fetch', '--quiet', '--no-tags', remote.name, `refs/heads/${branch}`);
  const named = await git.run(top, 'rev-parse', 'FETCH_HEAD');
  if (!fetched.ok || !named.ok) throw refuse(remote, fetched.ok ? named.text : fetched.text);
  return { branch, commit: named.text.trim() };
}

/** The text of a file on the base. */
export async function readOnBase(
  top: string,
  { commit }: Base,
  path: string,
  env: Record<string, string>,
): Promise<PlannedFile['present']> {
  const listed = await openUserGit(env).run(top, 'ls-tree', commit, '--', path);
  if (!listed.ok || listed.text.trim() === '') return undefined;
  if (!/^100(?:644|755) blob /.test(listed.text)) return 'unreadable';
  const { ok, text } = await openUserGit(env).run(top, 'cat-file', 'blob', `${commit}:${path}`);
  return ok ? { text } : 'unreadable';
}

/** Commits the files on top of the base and pushes the branch. Index, worktree and branches of the clone stay as they are. */
export async function pushBranch(
  top: string,
  {
    remote,
    base,
    files,
    force,
  }: { remote: Remote; base: Base; files: readonly PlannedFile[]; force: boolean },
  env: Record<string, string>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'autobuild-init-'));
  const git = openUserGit(env);
  const withIndex = openUserGit(env, { GIT_INDEX_FILE: join(directory, 'index') });
  const must = async (asked: Promise<{ ok: boolean; text: string }>) => {
    const { ok, text } = await asked;
    if (!ok) throw refuse(remote, text);
    return text.trim();
  };
  try {
    await must(withIndex.run(top, 'read-tree', base.commit));
    for (const { path, text } of files) {
      const file = join(directory, 'file');
      writeFileSync(file, text);
      const blob = await must(git.run(top, 'hash-object', '-w', '--no-filters', '--', file));
      await must(
        withIndex.run(top, 'update-index', '--add', '--replace', '--cacheinfo', `100644,${blob},${path}`),
      );
    }
    const tree = await must(withIndex.run(top, 'write-tree'));
    const commit = await must(git.run(top, 'commit-tree', tree, '-p', base.commit, '-m', MESSAGE));
    const target = `${commit}:refs/heads/${BRANCH}`;
    await must(git.run(top, 'push', '--quiet', ...(force ? ['--force'] : []), remote.name, target));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function refuse({ repository }: Remote, text: string) {
  const problem = /\[rejected\]|non-fast-forward|fetch first/.test(text)
    ? 'it is there already with other commits; delete it, or replace it with --force'
    : (text.split('\n').find((line) => /^(?:fatal|error|remote): /.test(line)) ?? text.split('\n')[0] ?? '');
  return userError('branch_not_pushed', { branch: BRANCH, repository, problem });
}
