import { chmod, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { checkWorktreePath } from '../../core/work/worktree-path.ts';
import { lookInside, lstatIfThere } from '../disk/inside-directory.ts';
import { removeInside } from '../disk/set-aside.ts';
import { openStateDir, type StateDir, writePrivate } from './state-dir.ts';

/** Where a task's files are to be; `keepStateDir` makes it so. */
export function placeStateDir(worktree: string, stateDir: string, taskId: string): StateDir {
  const checked = checkWorktreePath(stateDir);
  if (!checked.ok) throw new Error(`state_dir ${JSON.stringify(stateDir)}: ${checked.problem}.`);
  const path = `${checked.path}/${taskId}`;
  return { dir: join(worktree, path), path };
}

/** The agent can reach the directory: deleted, locked or replaced by a link, it is made anew. To be called while no agent runs. */
export async function keepStateDir(worktree: string, { path }: StateDir): Promise<void> {
  const names = path.split('/');
  for (let depth = 1; depth <= names.length; depth += 1) {
    const full = join(worktree, ...names.slice(0, depth));
    const stats = await lstatIfThere(full);
    if (stats === undefined) break;
    if (!stats.isDirectory()) {
      await unlink(full);
      break;
    }
    if ((stats.mode & 0o700) !== 0o700) await chmod(full, stats.mode | 0o700);
  }
  await openStateDir({ worktree, stateDir: dirname(path), taskId: basename(path) });
}

/** Writes one of the task's files, whatever the agent has put in its place. */
export async function writeStateFile(
  worktree: string,
  stateDir: StateDir,
  file: { name: string; text: string; mode: number },
): Promise<void> {
  const path = `${stateDir.path}/${file.name}`;
  const { stats } = await lookInside(worktree, path);
  if (stats?.isDirectory()) await removeInside(worktree, path);
  await writePrivate(worktree, path, file.text, file.mode);
}
