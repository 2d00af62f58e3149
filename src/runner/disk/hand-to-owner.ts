import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * A file that root makes in another user's directory belongs to that user, because an agent that is a user of its own (level 3) could
 * not change it otherwise, nor read its inputs. By the open file, since the agent may have put another one at its path by now.
 */
export async function handToOwner(file: FileHandle, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await lstat(dirname(path));
  if (uid !== 0) await file.chown(uid, gid);
}

export async function handDirectoryToOwner(path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const directory = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    await handToOwner(directory, path);
  } finally {
    await directory.close();
  }
}
