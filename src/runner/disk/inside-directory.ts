import type { Stats } from 'node:fs';
import { lstat, mkdir, realpath, rmdir } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { handDirectoryToOwner } from './hand-to-owner.ts';

/**
 * Stats each directory from `root` down to `path` (checked, relative) without following symlinks. `obstacle` is the first
 * parent that exists and is not a directory, most likely a symlink.
 */
export async function lookInside(
  root: string,
  path: string,
): Promise<{ stats?: Stats; obstacle?: { path: string; isLink: boolean } }> {
  const names = path.split('/');
  for (let depth = 1; depth <= names.length; depth += 1) {
    const at = names.slice(0, depth).join('/');
    const stats = await lstatIfThere(join(root, at));
    if (stats === undefined) return {};
    if (depth === names.length) return { stats };
    if (!stats.isDirectory()) return { obstacle: { path: at, isLink: stats.isSymbolicLink() } };
  }
  return {};
}

/** Makes the missing directories one by one. A symlink among them is an error, because it could lead out of `root`. */
export async function makeDirectories(root: string, path: string, mode = 0o777): Promise<void> {
  let at = '';
  for (const name of path.split('/').filter((part) => part !== '' && part !== '.')) {
    at = at === '' ? name : `${at}/${name}`;
    const full = join(root, at);
    const isMade = await mkdir(full, { mode }).then(
      () => true,
      async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
        const stats = await lstat(full);
        if (stats.isDirectory()) return false;
        const what = stats.isSymbolicLink() ? 'a symbolic link' : 'not a directory';
        throw new Error(`${full} is ${what}. Remove it: Autobuild writes only into real directories.`);
      },
    );
    if (isMade) await handDirectoryToOwner(full);
  }
}

/** Removes the parents of `path` that are empty, up to but excluding `root`. */
export async function pruneEmptyParents(root: string, path: string): Promise<void> {
  for (let dir = dirname(path); dir !== '.'; dir = dirname(dir)) {
    const gone = await rmdir(join(root, dir)).then(
      () => true,
      () => false,
    );
    if (!gone) return;
  }
}

export async function lstatIfThere(full: string): Promise<Stats | undefined> {
  try {
    return await lstat(full);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

export function isInside(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== '..' && !way.startsWith('../');
}

/** Like `realpath`, but the last names of the path need not exist. */
export async function resolveLinks(path: string): Promise<string> {
  const full = resolve(path);
  const real = await realpath(full).catch(() => undefined);
  if (real !== undefined || dirname(full) === full) return real ?? full;
  return join(await resolveLinks(dirname(full)), basename(full));
}
