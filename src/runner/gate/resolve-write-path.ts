import { readlink } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { checkWorktreePath, relativeToWorktree } from '../../core/work/worktree-path.ts';
import { isInside, lstatIfThere } from '../disk/inside-directory.ts';

/** As many as Linux follows. */
const MAX_LINKS = 40;

/** `named`: the same without following links. */
export type PlacedWrite = { path: string; named: string };
export type WritePlace = ({ ok: true } & PlacedWrite) | { ok: false; problem: string };

/** Where a write to the path would end up: one spelling, links followed. Refused when that is not a file of the worktree. */
export async function placeWrite(worktree: string, given: string): Promise<WritePlace> {
  const checked = checkWorktreePath(relativeToWorktree(worktree, given));
  if (!checked.ok) return checked;
  try {
    const real = await followLinks(worktree, checked.path);
    if (real === undefined) return refuse(`the path leads through more than ${MAX_LINKS} links`);
    if (!isInside(worktree, real)) return refuse('the path leads out of the worktree through a link');
    const placed = checkWorktreePath(relativeToWorktree(worktree, real));
    return placed.ok ? { ...placed, named: checked.path } : placed;
  } catch (error) {
    return refuse(`the path cannot be followed: ${(error as Error).message}`);
  }
}

/** Name by name, because a link whose target is missing is written through as well, and `realpath` knows none of those. */
async function followLinks(worktree: string, path: string): Promise<string | undefined> {
  const left = path.split('/').reverse();
  let at = worktree;
  let links = 0;
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      at = dirname(at);
      continue;
    }
    const next = join(at, name);
    const stats = await lstatIfThere(next);
    if (!stats?.isSymbolicLink()) {
      at = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) return undefined;
    const target = await readlink(next);
    if (isAbsolute(target)) at = '/';
    left.push(...target.split('/').reverse());
  }
  return at;
}

function refuse(problem: string): WritePlace {
  return { ok: false, problem };
}
