import { randomUUID } from 'node:crypto';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { lstatIfThere } from '../disk/inside-directory.ts';
import { isSameState, readPathState } from '../disk/path-state.ts';
import { move } from '../disk/set-aside.ts';
import { followDotGit } from './git-control-files.ts';

const MAX_BYTES = 64 * 1024;

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

/** Moves a replacement of `.git` aside. A moved directory is restored if the replacement refers to its new path. */
export async function restoreDotGit(
  worktree: string,
  recorded: DotGit,
  asideDir: string,
): Promise<string | undefined> {
  const full = join(worktree, '.git');
  const stats = await lstatIfThere(full);
  if (recorded.kind === 'none' || !(await lstatIfThere(worktree))?.isDirectory()) return undefined;
  if (recorded.kind === 'directory') {
    if (!stats || stats.isDirectory()) return undefined;
  } else if (isSameState(await readPathState(worktree, '.git'), recorded)) return undefined;
  const leadsTo = stats && (await followDotGit(worktree));
  const stored = join(asideDir, randomUUID());
  if (stats) {
    await mkdir(asideDir, { recursive: true, mode: 0o700 });
    await move(full, stored);
  }
  const where = stats ? ` What stood there is in ${stored}.` : '';
  if (recorded.kind === 'file') await writeFile(full, recorded.text, { mode: recorded.mode, flag: 'wx' });
  if (recorded.kind === 'link') await symlink(recorded.target, full);
  if (recorded.kind === 'directory') {
    if (!leadsTo || !(await isSameDirectory(leadsTo, recorded)))
      return `${full} was replaced during the turn, and the directory it was is not to be found: bring it back before you use git here.${where}`;
    await move(leadsTo, full);
  }
  return `${full} was replaced during the turn and is put back: git would obey it.${where}`;
}

async function isSameDirectory(path: string, { dev, ino }: { dev: number; ino: number }): Promise<boolean> {
  const stats = await lstatIfThere(path);
  return stats?.isDirectory() === true && stats.dev === dev && stats.ino === ino;
}
