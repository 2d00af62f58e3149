import { constants } from 'node:fs';
import { open, readlink, realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { checkWorktreePath } from '../../core/work/worktree-path.ts';
import { lookInside } from './inside-directory.ts';

type FileInside =
  | { ok: true; bytes: Buffer; mode: number }
  | { ok: false; problem: string; tooLarge: boolean };

/** Reads a plain file below `root`. Refuses symlinks, also among the parents, and files larger than `maxBytes`. */
export async function readInside(root: string, path: string, maxBytes: number): Promise<FileInside> {
  const checked = checkWorktreePath(path);
  if (!checked.ok) return refuse(checked.problem);
  try {
    const { stats, obstacle } = await lookInside(root, checked.path);
    if (obstacle) return refuse(`${obstacle.path} is not a directory`);
    if (!stats) return refuse('it is not there');
    if (stats.isSymbolicLink()) return refuse('it is a symbolic link');
    if (!stats.isFile()) return refuse('it is not a plain file');
    return await readOpened(root, checked.path, maxBytes);
  } catch (error) {
    return refuse(`it cannot be read: ${(error as Error).message}`);
  }
}

async function readOpened(root: string, path: string, maxBytes: number): Promise<FileInside> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(join(root, path), flags);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return refuse('it is not a plain file');
    // A parent may have become a symlink since it was checked. The path of the open file shows it.
    const real = await readlink(`/proc/self/fd/${file.fd}`).catch(() => undefined);
    if (real !== undefined && relative(await realpath(root), real) !== path)
      return refuse('it is behind a symbolic link');
    if (stats.size > maxBytes)
      return refuse(`it has ${stats.size} bytes; at most ${maxBytes} can be carried`, true);
    // One byte more than the size, to notice a file that grows while it is read.
    const bytes = Buffer.alloc(stats.size + 1);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    if (length > stats.size) return refuse('it grew while it was read');
    return { ok: true, bytes: bytes.subarray(0, length), mode: stats.mode & 0o777 };
  } finally {
    await file.close();
  }
}

function refuse(problem: string, tooLarge = false): FileInside {
  return { ok: false, problem, tooLarge };
}
