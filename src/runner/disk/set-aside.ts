import { randomUUID } from 'node:crypto';
import { chmod, cp, mkdir, readlink, rename, rm, symlink, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SetAside } from '../../core/work/change.ts';
import { checkWorktreePath } from '../../core/work/worktree-path.ts';
import { lookInside, makeDirectories, pruneEmptyParents } from './inside-directory.ts';

/** Moves the file, symlink or directory at the path out of the worktree. Nothing behind a symlink is touched. */
export async function setAside(worktree: string, given: string, asideDir: string): Promise<SetAside> {
  const checked = checkWorktreePath(given);
  if (!checked.ok) return { path: given, kind: 'refused', problem: checked.problem };
  const { path } = checked;
  try {
    const { stats } = await lookInside(worktree, path);
    // Also if a parent is a symlink, because nothing behind a symlink belongs to the worktree.
    if (stats === undefined) return { path, kind: 'deleted' };
    const full = join(worktree, path);
    if (stats.isSymbolicLink()) {
      const target = await readlink(full);
      await unlink(full);
      return { path, kind: 'link', target };
    }
    if (!stats.isFile() && !stats.isDirectory()) {
      // A pipe, a socket or a device has no content to keep, and opening one could wait for ever.
      await unlink(full);
      return { path, kind: 'deleted' };
    }
    const stored = join(asideDir, randomUUID());
    await mkdir(asideDir, { recursive: true, mode: 0o700 });
    await move(full, stored);
    return stats.isDirectory()
      ? { path, kind: 'directory', stored }
      : { path, kind: 'file', stored, mode: stats.mode & 0o7777 };
  } catch (error) {
    return { path, kind: 'refused', problem: `it could not be removed: ${(error as Error).message}` };
  }
}

/** Undoes `setAside`. Whatever is at the path now is replaced. */
export async function restoreSetAside(worktree: string, item: SetAside): Promise<void> {
  if (item.kind === 'refused') return;
  const checked = checkWorktreePath(item.path);
  if (!checked.ok)
    throw new Error(`${JSON.stringify(item.path)} cannot be brought back: ${checked.problem}.`);
  const full = join(worktree, checked.path);
  await removeInside(worktree, checked.path);
  if (item.kind === 'deleted') return pruneEmptyParents(worktree, checked.path);
  await makeDirectories(worktree, dirname(checked.path));
  if (item.kind === 'link') return symlink(item.target, full);
  await move(item.stored, full);
  if (item.kind === 'file') await chmod(full, item.mode);
}

/** Removes a file, directory or symlink, but not the target of a symlink. */
export async function removeInside(worktree: string, path: string): Promise<void> {
  const { stats } = await lookInside(worktree, path);
  if (stats !== undefined) await rm(join(worktree, path), { recursive: stats.isDirectory(), force: true });
}

/** Like `rename`, but works across file systems. */
export async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    await cp(from, to, {
      recursive: true,
      dereference: false,
      verbatimSymlinks: true,
      preserveTimestamps: true,
      errorOnExist: true,
      force: false,
    });
    await rm(from, { recursive: true, force: true });
  }
}
