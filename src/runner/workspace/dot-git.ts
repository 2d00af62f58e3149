import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { lstatIfThere } from '../disk/inside-directory.ts';
import { isSameState, readPathState } from '../disk/path-state.ts';
import { move } from '../disk/set-aside.ts';
import { followDotGit } from './git-control-files.ts';

const MAX_BYTES = 64 * 1024;
/** The most entries of the worktree in which a moved directory is looked for. */
const MAX_LOOKED_AT = 1_000;

/** The state of the worktree's `.git`, which decides which directory git obeys. */
export const DotGit = z.discriminatedUnion('kind', [
  /** Device and inode identify the directory after a move. */
  z.object({ kind: z.literal('directory'), dev: z.number(), ino: z.number() }),
  z.object({ kind: z.literal('file'), mode: z.number().int(), digest: z.string(), text: z.string() }),
  z.object({ kind: z.literal('link'), target: z.string() }),
  z.object({ kind: z.literal('none') }),
]);
export type DotGit = z.infer<typeof DotGit>;

export async function recordDotGit(worktree: string): Promise<DotGit> {
  const full = join(worktree, '.git');
  const state = await readPathState(worktree, '.git');
  if (state.kind === 'link') return state;
  const stats = await lstatIfThere(full);
  if (stats?.isDirectory()) return { kind: 'directory', dev: stats.dev, ino: stats.ino };
  if (state.kind !== 'file' || (stats?.size ?? 0) > MAX_BYTES) return { kind: 'none' };
  return { ...state, text: await readFile(full, 'utf8') };
}

/**
 * Moves a replacement of `.git` aside. A moved directory is restored if the replacement refers to its new path, or if it is still
 * at the top of the worktree.
 */
export async function restoreDotGit(
  worktree: string,
  recorded: DotGit,
  asideDir: string,
): Promise<string | undefined> {
  const full = join(worktree, '.git');
  const stats = await lstatIfThere(full);
  if (recorded.kind === 'none' || !(await lstatIfThere(worktree))?.isDirectory()) return undefined;
  if (recorded.kind === 'directory') {
    if (await isSameDirectory(full, recorded)) return undefined;
  } else if (isSameState(await readPathState(worktree, '.git'), recorded)) return undefined;
  const moved = recorded.kind === 'directory' ? await findMoved(worktree, recorded) : undefined;
  // Another directory may be where git keeps working, so it stays if there is nothing to replace it.
  if (recorded.kind === 'directory' && !moved && stats?.isDirectory())
    return `${full} is another directory than before the turn, and that one is not in the worktree any more: look for it before you use git here.`;
  const stored = join(asideDir, randomUUID());
  if (stats) {
    await mkdir(asideDir, { recursive: true, mode: 0o700 });
    await move(full, stored);
  }
  const where = stats ? ` Its content is saved in ${stored}.` : '';
  if (recorded.kind === 'file') await writeFile(full, recorded.text, { mode: recorded.mode, flag: 'wx' });
  if (recorded.kind === 'link') await symlink(recorded.target, full);
  if (recorded.kind === 'directory') {
    if (!moved && !stats)
      return `${full} was moved out of the worktree or deleted during the turn: restore it before you use git here. The work itself is measured without it.`;
    if (!moved)
      return `${full} was replaced during the turn, and the original directory cannot be found: restore it before you use git here.${where}`;
    await move(moved, full);
    if (!stats) return `${full} was moved to ${moved} during the turn and was moved back.`;
  }
  return `${full} was replaced during the turn and was reverted: git would run it.${where}`;
}

/** Where the directory is now: where the replacement leads, or beside it. */
async function findMoved(
  worktree: string,
  recorded: { dev: number; ino: number },
): Promise<string | undefined> {
  const stats = await lstatIfThere(join(worktree, '.git'));
  const leadsTo = stats && !stats.isDirectory() ? await followDotGit(worktree) : undefined;
  const beside = (await readdir(worktree)).slice(0, MAX_LOOKED_AT).map((name) => join(worktree, name));
  for (const path of leadsTo ? [leadsTo, ...beside] : beside)
    if (await isSameDirectory(path, recorded)) return path;
  return undefined;
}

async function isSameDirectory(path: string, { dev, ino }: { dev: number; ino: number }): Promise<boolean> {
  const stats = await lstatIfThere(path);
  return stats?.isDirectory() === true && stats.dev === dev && stats.ino === ino;
}
