import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { lstatIfThere } from './inside-directory.ts';
import { listInside } from './list-inside.ts';

const MAX_POINTER_BYTES = 8 * 1024;
const MAX_HOOKS = 2_000;
/** Programs of git's, and settings that name programs: they run when the user next calls git. */
const SETTINGS = ['config', 'config.worktree', 'info/attributes'];

export interface Place {
  root: string;
  /** Relative to `root`. */
  path: string;
}

/** The directories git reads for a worktree: its own one, and the one it shares when it is linked to another. */
export async function findGitDirs(worktree: string): Promise<string[]> {
  const own = join(worktree, '.git');
  const stats = await lstatIfThere(own);
  if (stats?.isDirectory()) return [own];
  if (!stats?.isFile()) return [];
  const named = await readPointer(worktree, '.git');
  if (!named?.startsWith('gitdir: ')) return [];
  const gitDir = resolve(worktree, named.slice('gitdir: '.length));
  const common = await readPointer(gitDir, 'commondir');
  return common === undefined ? [gitDir] : [gitDir, resolve(gitDir, common)];
}

export async function listGitPlaces(gitDir: string): Promise<Place[]> {
  const hooks = await listInside(gitDir, 'hooks', MAX_HOOKS);
  return [...SETTINGS, ...hooks].map((path) => ({ root: gitDir, path }));
}

async function readPointer(root: string, name: string): Promise<string | undefined> {
  const full = join(root, name);
  const stats = await lstatIfThere(full);
  if (!stats?.isFile() || stats.size > MAX_POINTER_BYTES) return undefined;
  return (await readFile(full, 'utf8')).trim();
}
