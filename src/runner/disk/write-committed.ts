import { readlink, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { lookInside, makeDirectories } from './inside-directory.ts';
import { readInside } from './read-inside.ts';
import { removeInside } from './set-aside.ts';
import { writeInside } from './write-inside.ts';

/** Larger files are written without being compared first. */
const MAX_COMPARED_BYTES = 10 * 1024 * 1024;

/** Makes one file or link as a commit has it. False if it is that already. */
export async function writeCommitted(
  worktree: string,
  path: string,
  mode: string,
  bytes: Buffer,
): Promise<boolean> {
  const { obstacle } = await lookInside(worktree, path);
  if (obstacle) await removeInside(worktree, obstacle.path);
  if (mode === '120000') {
    const target = bytes.toString('utf8');
    if ((await readlink(join(worktree, path)).catch(() => undefined)) === target) return false;
    await makeDirectories(worktree, dirname(path));
    await removeInside(worktree, path);
    await symlink(target, join(worktree, path));
    return true;
  }
  const executable = mode === '100755';
  const present = await readInside(worktree, path, MAX_COMPARED_BYTES);
  if (present.ok && present.bytes.equals(bytes) && ((present.mode & 0o100) !== 0) === executable)
    return false;
  await writeInside(worktree, path, { bytes, mode: executable ? 0o755 : 0o644 });
  return true;
}
