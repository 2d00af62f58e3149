import { quoteWord } from '../package/quote-word.ts';
import { openUserGit } from '../user-git.ts';
import type { Remote } from './remote.ts';

/** The way of files to the default branch on GitHub, as far as it is left to a person. */
export interface LeftToPush {
  /** Those that differ from the last commit, or will after `init` has written them. */
  toCommit: string[];
  /** The arguments of git that push them. Undefined if the default branch has all of it, as git knows it. */
  push?: string;
  /** True when no branch is checked out, so that git has to be told which one to push to. */
  isDetached?: boolean;
}

/** A file may be there since an earlier `init` and not be committed, or committed and not pushed. */
export async function findLeftToPush(
  top: string,
  files: readonly { path: string; isWritten: boolean }[],
  remote: Remote | undefined,
  env: Record<string, string>,
): Promise<LeftToPush> {
  const git = openUserGit(env);
  const paths = files.map(({ path }) => path);
  const status = await git.run(
    top,
    ...['status', '--porcelain=v1', '-z', '-uall', '--no-renames', '--', ...paths],
  );
  const changed = status.ok ? status.text.split('\0').map((entry) => entry.slice(3)) : [];
  const toCommit = files
    .filter(({ path, isWritten }) => isWritten || changed.includes(path))
    .map(({ path }) => path);
  const here = await git.run(top, 'symbolic-ref', '--short', 'HEAD');
  const branch = here.ok ? here.text.trim() : '';
  const push = here.ok
    ? await choosePush(top, branch, remote?.name ?? 'origin', env)
    : await pushToDefault(top, remote?.name ?? 'origin', env);
  const left = { push, ...(here.ok ? {} : { isDetached: true }) };
  if (toCommit.length > 0) return { toCommit, ...left };
  const names = remote ? [`refs/remotes/${remote.name}/HEAD`, `refs/remotes/${remote.name}/${branch}`] : [];
  return { toCommit, ...((await isPushed(top, paths, names, env)) ? {} : left) };
}

/** Git refuses a push of `HEAD` alone where no branch is checked out. The name is a guess if git does not know the default branch. */
async function pushToDefault(top: string, remote: string, env: Record<string, string>): Promise<string> {
  const found = await openUserGit(env).run(top, 'symbolic-ref', '--short', `refs/remotes/${remote}/HEAD`);
  const name = found.ok ? found.text.trim().slice(remote.length + 1) : 'main';
  return `push ${remote} ${quoteWord(`HEAD:${name}`)}`;
}

/** Without an upstream, git asks where to push to; with one elsewhere, it would push there. */
async function choosePush(
  top: string,
  branch: string,
  remote: string,
  env: Record<string, string>,
): Promise<string> {
  const upstream = await openUserGit(env).run(top, 'config', '--get', `branch.${branch}.remote`);
  if (!upstream.ok) return `push -u ${remote} HEAD`;
  return upstream.text.trim() === remote ? 'push' : `push ${remote} HEAD`;
}

/** True if the default branch, as it was when git last heard of it, has the files of the last commit. */
async function isPushed(
  top: string,
  paths: readonly string[],
  /** Names for it. The first one that is there counts. */
  names: readonly string[],
  env: Record<string, string>,
): Promise<boolean> {
  const git = openUserGit(env);
  for (const name of names) {
    if (!(await git.run(top, 'rev-parse', '--verify', '--quiet', name)).ok) continue;
    const difference = await git.run(top, 'diff', '--name-only', name, 'HEAD', '--', ...paths);
    return difference.ok && difference.text.trim() === '';
  }
  return false;
}
