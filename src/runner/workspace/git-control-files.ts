import { readdir, readFile, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { inParallel } from '../disk/in-parallel.ts';
import { lookInside, lstatIfThere } from '../disk/inside-directory.ts';
import { listInside } from '../disk/list-inside.ts';

const MAX_POINTER_BYTES = 8 * 1024;
const MAX_HOOKS = 2_000;
/** Limits on submodules and linked worktrees, and on the directories searched for them. */
const MAX_PARTS = 200;
const MAX_DIRECTORIES = 2_000;
/** Settings can name programs that run when the user next calls git. `commondir` says where git finds more settings. */
const SETTINGS = ['config', 'config.worktree', 'info/attributes', 'commondir'];
/** The only files that git obeys in the directory of a linked worktree. Its others change whenever that worktree is used. */
const SETTINGS_OF_WORKTREE = ['config.worktree', 'commondir'];
const WORKTREE_PART = /^worktrees\/[^/]+\/$/;
/** Git installs samples of hooks under names with this ending and runs none of them. */
const SAMPLE = '.sample';

export interface RootedPath {
  root: string;
  /** Relative to `root`. Symlinks below `root` are not followed. */
  path: string;
}

/** A git directory. Each of its parts has its own settings: the directory itself (`.`), submodules and linked worktrees. */
export interface GitDir {
  root: string;
  parts: string[];
}

/** Finds the git directories of a worktree: its own, and the shared one if it is a linked worktree. */
export async function findGitDirs(worktree: string): Promise<GitDir[]> {
  const roots = await findRoots(worktree);
  return Promise.all(roots.map(async (root) => ({ root, parts: await findParts(root) })));
}

async function findRoots(worktree: string): Promise<string[]> {
  const own = join(worktree, '.git');
  const leadsTo = await followDotGit(worktree);
  if (leadsTo === undefined) return (await lstatIfThere(own))?.isDirectory() ? [own] : [];
  const common = await readPointer(leadsTo, 'commondir');
  return common === undefined ? [leadsTo] : [leadsTo, resolve(leadsTo, common)];
}

/** The directory that `.git` refers to if it is a file or a symlink. */
export async function followDotGit(worktree: string): Promise<string | undefined> {
  const own = join(worktree, '.git');
  if ((await lstatIfThere(own))?.isSymbolicLink()) return realpath(own).catch(() => undefined);
  const named = await readPointer(worktree, '.git');
  return named?.startsWith('gitdir: ') ? resolve(worktree, named.slice('gitdir: '.length)) : undefined;
}

async function findParts(root: string): Promise<string[]> {
  const parts = ['.'];
  const waiting = ['worktrees', 'modules'];
  let left = MAX_DIRECTORIES;
  for (let at = waiting.pop(); at !== undefined && parts.length < MAX_PARTS && left > 0; at = waiting.pop()) {
    left -= 1;
    if (await lstatIfThere(join(root, at, 'HEAD'))) {
      parts.push(at);
      waiting.push(`${at}/modules`);
    } else {
      for (const name of await directoriesIn(join(root, at))) waiting.push(`${at}/${name}`);
    }
  }
  return parts;
}

async function directoriesIn(directory: string): Promise<string[]> {
  if (!(await lstatIfThere(directory))?.isDirectory()) return [];
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** `crowded` has the hook directories that cannot be listed, most likely because they have too many files. */
export async function listGitControlFiles({
  root,
  parts,
}: GitDir): Promise<{ files: RootedPath[]; crowded: RootedPath[] }> {
  const listed = await inParallel(parts, (part) => listPart(root, part === '.' ? '' : `${part}/`));
  const rooted = (paths: string[]) => paths.map((path) => ({ root, path }));
  return {
    files: rooted(listed.flatMap(({ paths }) => paths)),
    crowded: rooted(listed.flatMap(({ crowded }) => crowded)),
  };
}

async function listPart(root: string, prefix: string): Promise<{ paths: string[]; crowded: string[] }> {
  const inPart = (name: string) => `${prefix}${name}`;
  if (WORKTREE_PART.test(prefix)) return { paths: SETTINGS_OF_WORKTREE.map(inPart), crowded: [] };
  const paths = SETTINGS.map(inPart);
  return listHooks(root, inPart('hooks')).then(
    (hooks) => ({ paths: [...paths, ...hooks], crowded: [] }),
    () => ({ paths, crowded: [inPart('hooks')] }),
  );
}

async function listHooks(root: string, directory: string): Promise<string[]> {
  const { stats } = await lookInside(root, directory);
  if (!stats) return [];
  if (!stats.isDirectory()) return [directory];
  const found: string[] = [];
  for (const name of await readdir(join(root, directory))) {
    if (name.endsWith(SAMPLE)) continue;
    const left = MAX_HOOKS - found.length;
    for (const path of await listInside(root, `${directory}/${name}`, left)) found.push(path);
  }
  return found.sort();
}

async function readPointer(root: string, name: string): Promise<string | undefined> {
  const full = join(root, name);
  const stats = await lstatIfThere(full);
  if (!stats?.isFile() || stats.size > MAX_POINTER_BYTES) return undefined;
  return (await readFile(full, 'utf8')).trim();
}
