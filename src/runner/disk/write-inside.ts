import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkWorktreePath } from '../../core/work/worktree-path.ts';
import { handToOwner } from './hand-to-owner.ts';
import { makeDirectories } from './inside-directory.ts';
import { removeInside } from './set-aside.ts';

/** Replaces whatever is at the path with a plain file. A symlink among its parents is an error. */
export async function writeInside(
  root: string,
  path: string,
  file: { bytes: Uint8Array; mode: number },
): Promise<void> {
  const checked = checkWorktreePath(path);
  if (!checked.ok) throw new Error(`Cannot write ${JSON.stringify(path)}: ${checked.problem}.`);
  await makeDirectories(root, dirname(checked.path));
  await removeInside(root, checked.path);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const opened = await open(join(root, checked.path), flags, file.mode);
  try {
    await opened.writeFile(file.bytes);
    // Set again, because the umask may have removed bits when the file was opened.
    await opened.chmod(file.mode);
    await handToOwner(opened, join(root, checked.path));
  } finally {
    await opened.close();
  }
}
