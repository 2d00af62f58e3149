import { readdir, readFile, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { inParallel } from '../disk/in-parallel.ts';
import { lookInside, lstatIfThere } from '../disk/inside-directory.ts';
import { listInside } from '../disk/list-inside.ts';

const MAX_POINTER_BYTES = 8 * 1024;
const MAX_HOOKS = 2_000;
/** Submodules and linked worktrees that are looked at, and directories that are looked into for them. */
const MAX_PARTS = 200;
const MAX_DIRECTORIES = 2_000;
/** Settings that name programs, which run when the user next calls git, and what says where else git finds settings. */
const SETTINGS = ['config', 'config.worktree', 'info/attributes', 'commondir'];
/** All that git obeys in the directory of a linked worktree. The rest of it is that worktree's own coming and going. */
const SETTINGS_OF_WORKTREE = ['config.worktree', 'commondir'];
const WORKTREE_PART = /^worktrees\/[^/]+\/$/;
/** Git brings these to be read; it runs none of them. */
const SAMPLE = '.sample';

export interface Place {
  root: string;
  /** Relative to `root`. */
  path: string;
}

/** A directory of git's. Its parts have settings of their own: itself (`.`), submodules, linked worktrees. */
export interface GitDir {
  root: string;
  parts: string[];
}

/** What git reads for a worktree: its own directory, and the one it shares when it is linked to another. */
export async function findGitDirs(worktree: string): Promise<GitDir[]> {
  const roots = await findRoots(worktree);
  return Promise.all(roots.map(async (root) => ({ root, parts: await findParts(root) })));
}

async function findRoots(worktree: string): Promise<string[]> {
  const own = join(worktree, '.git');
  const leadsTo = await readDotGit(worktree);
  if (leadsTo === undefined) return (await lstatIfThere(own))?.isDirectory() ? [own] : [];
  const common = await readPointer(leadsTo, 'commondir');
  return common === undefined ? [leadsTo] : [leadsTo, resolve(leadsTo, common)];
}

/** Where a `.git` that is no directory leads. */
export async function readDotGit(worktree: string): Promise<string | undefined> {
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

/** `crowded`: directories of hooks that cannot be listed, most likely because they hold too much. */
export async function listGitPlaces({ root, parts }: GitDir): Promise<{ places: Place[]; crowded: Place[] }> {
  const listed = await inParallel(parts, (part) => listPart(root, part === '.' ? '' : `${part}/`));
  const placesOf = (paths: string[]) => paths.map((path) => ({ root, path }));
  return {
    places: placesOf(listed.flatMap(({ paths }) => paths)),
    crowded: placesOf(listed.flatMap(({ crowded }) => crowded)),
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
