import { chmod, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { checkWorktreePath } from '../../core/work/worktree-path.ts';
import { lookInside, lstatIfThere } from '../disk/inside-directory.ts';
import { removeInside } from '../disk/set-aside.ts';
import { openStateDir, type StateDir, writePrivate } from './state-dir.ts';

/** The directory of a task's files. `repairStateDir` creates it. */
export function stateDirOf(worktree: string, stateDir: string, taskId: string): StateDir {
  const checked = checkWorktreePath(stateDir);
  if (!checked.ok) throw new Error(`state_dir ${JSON.stringify(stateDir)}: ${checked.problem}.`);
  const path = `${checked.path}/${taskId}`;
  return { dir: join(worktree, path), path };
}

/** Recreates the directory if the agent deleted it, removed its permissions or replaced it. Call it while no agent runs. */
export async function repairStateDir(worktree: string, { path }: StateDir): Promise<void> {
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

/** Writes one of the task's files, also if the agent has replaced it with a directory. */
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
