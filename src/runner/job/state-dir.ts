import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readFile, readlink, realpath, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { checkWorktreePath } from '../../core/work/worktree-path.ts';
import { handToOwner } from '../disk/hand-to-owner.ts';
import { lookInside, makeDirectories } from '../disk/inside-directory.ts';

const MAX_AGENT_FILE = 1024 * 1024;

/** The directory of a task's files. It is inside the worktree, so that the agent can read and write them. */
export type StateDir = {
  /** Absolute: `<worktree>/<state_dir>/<task_id>`. */
  readonly dir: string;
  /** Relative to the worktree. */
  readonly path: string;
};

export async function openStateDir(options: {
  worktree: string;
  stateDir: string;
  taskId: string;
}): Promise<StateDir> {
  const stateDir = checkWorktreePath(options.stateDir);
  if (!stateDir.ok) throw new Error(`state_dir ${JSON.stringify(options.stateDir)}: ${stateDir.problem}.`);
  const task = checkWorktreePath(options.taskId);
  if (!task.ok || task.path.includes('/')) {
    throw new Error(
      `The task id ${JSON.stringify(options.taskId)} cannot name a directory. Use letters and digits.`,
    );
  }
  const path = `${stateDir.path}/${task.path}`;
  await makeDirectories(options.worktree, path);
  // `*` matches this file too, so the user's `git status` and `git add -A` ignore the whole directory.
  await writePrivate(options.worktree, `${stateDir.path}/.gitignore`, '*\n', 0o644);
  return { dir: join(options.worktree, path), path };
}

type AgentFile =
  | { ok: true; text: string }
  | {
      ok: false;
      problem: 'missing' | 'symlink' | 'not_a_file' | 'too_large' | 'not_utf8' | 'unreadable';
      detail: string;
    };

/** Reads a file that the agent wrote. Refuses symlinks and files larger than `maxBytes`. `path` is relative to the worktree. */
export async function readAgentFile(
  worktree: string,
  path: string,
  maxBytes = MAX_AGENT_FILE,
): Promise<AgentFile> {
  const checked = checkWorktreePath(path);
  if (!checked.ok) return { ok: false, problem: 'unreadable', detail: checked.problem };
  try {
    const { stats, obstacle } = await lookInside(worktree, checked.path);
    if (obstacle?.isLink) return linked(obstacle.path);
    if (stats === undefined)
      return { ok: false, problem: 'missing', detail: `there is no file ${checked.path}` };
    if (stats.isSymbolicLink()) return linked(checked.path);
    if (!stats.isFile())
      return { ok: false, problem: 'not_a_file', detail: `${checked.path} is not a regular file` };
    return await readOpened(worktree, checked.path, maxBytes);
  } catch (error) {
    return { ok: false, problem: 'unreadable', detail: (error as Error).message };
  }
}

async function readOpened(worktree: string, path: string, maxBytes: number): Promise<AgentFile> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(join(worktree, path), flags);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return { ok: false, problem: 'not_a_file', detail: `${path} is not a regular file` };
    // A parent may have become a symlink since it was checked. The path of the open file shows it.
    const real = await readlink(`/proc/self/fd/${file.fd}`).catch(() => undefined);
    if (real !== undefined && relative(await realpath(worktree), real) !== path) return linked(path);
    if (stats.size > maxBytes) {
      return {
        ok: false,
        problem: 'too_large',
        detail: `${path} has ${stats.size} bytes; ${maxBytes} are read`,
      };
    }
    // One byte more than allowed, to notice a file that grows while it is read.
    const bytes = Buffer.alloc(maxBytes + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
      length += bytesRead;
      if (bytesRead === 0 || length > maxBytes) break;
    }
    if (length > maxBytes)
      return { ok: false, problem: 'too_large', detail: `${path} grew beyond ${maxBytes} bytes` };
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length)) };
  } catch (error) {
    if (error instanceof TypeError)
      return { ok: false, problem: 'not_utf8', detail: `${path} is not UTF-8 text` };
    throw error;
  } finally {
    await file.close();
  }
}

/** Writes a file atomically. A symlink at `path` is replaced; a symlink among its parents is an error. */
export async function writePrivate(root: string, path: string, text: string, mode = 0o600): Promise<void> {
  const checked = checkWorktreePath(path);
  if (!checked.ok) throw new Error(`Cannot write ${JSON.stringify(path)}: ${checked.problem}.`);
  const full = join(root, checked.path);
  const { stats } = await lookInside(root, checked.path);
  // An unchanged file is not written again, because the agent may be watching it.
  if (stats?.isFile() && stats.size === Buffer.byteLength(text) && (stats.mode & 0o777) === mode) {
    if ((await readFile(full, 'utf8')) === text) return;
  }
  await makeDirectories(root, dirname(checked.path));
  const temporary = join(dirname(full), `.${randomUUID()}.tmp`);
  try {
    const file = await open(temporary, 'wx', mode);
    try {
      await file.writeFile(text);
      await handToOwner(file, temporary);
    } finally {
      await file.close();
    }
    await rename(temporary, full);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new Error(`Cannot write ${full}: ${(error as Error).message}`, { cause: error });
  }
}

/** Removes a file or symlink, but no directory and nothing behind a symlink. True if there was one. */
export async function removeIfThere(root: string, path: string): Promise<boolean> {
  const checked = checkWorktreePath(path);
  if (!checked.ok) throw new Error(`Cannot remove ${JSON.stringify(path)}: ${checked.problem}.`);
  const { stats } = await lookInside(root, checked.path);
  if (stats === undefined || stats.isDirectory()) return false;
  await unlink(join(root, checked.path));
  return (await lstat(join(root, checked.path)).catch(() => undefined)) === undefined;
}

function linked(path: string): AgentFile {
  return { ok: false, problem: 'symlink', detail: `${path} is a symbolic link, and links are not followed` };
}
