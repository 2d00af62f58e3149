import { readlink } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { checkWorktreePath, relativeToWorktree } from '../../core/work/worktree-path.ts';
import { isInside, lstatIfThere } from '../disk/inside-directory.ts';

/** The same limit as Linux has. */
const MAX_LINKS = 40;

/** `path` is the file that is written, `named` the same path without following symlinks. */
export type WriteTarget = { path: string; named: string };
export type ResolvedWrite = ({ ok: true } & WriteTarget) | { ok: false; problem: string };

/** The file that a write to the path would change, after following symlinks. Refused if it is not inside the worktree. */
export async function resolveWritePath(worktree: string, given: string): Promise<ResolvedWrite> {
  const checked = checkWorktreePath(relativeToWorktree(worktree, given));
  if (!checked.ok) return checked;
  try {
    const real = await followLinks(worktree, checked.path);
    if (real === undefined) return refuse(`the path leads through more than ${MAX_LINKS} links`);
    if (!isInside(worktree, real)) return refuse('the path leads out of the worktree through a link');
    const target = checkWorktreePath(relativeToWorktree(worktree, real));
    return target.ok ? { ...target, named: checked.path } : target;
  } catch (error) {
    return refuse(`the path cannot be followed: ${(error as Error).message}`);
  }
}

/** Not `realpath`, because a write also follows a symlink whose target does not exist, and `realpath` fails there. */
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

function refuse(problem: string): ResolvedWrite {
  return { ok: false, problem };
}
