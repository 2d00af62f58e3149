import { constants } from 'node:fs';
import { type FileHandle, open, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { handToOwner } from './hand-to-owner.ts';
import { makeDirectories } from './inside-directory.ts';
import { removeInside } from './set-aside.ts';

const CHUNK_BYTES = 64 * 1024;

/** Copies a file of any size out of `root`. A symlink at `path` is an error. */
export async function copyOut(root: string, path: string, to: string): Promise<void> {
  await copy(join(root, path), await open(to, 'w', 0o600));
}

/** Replaces whatever is at the path with a copy. A symlink among its parents is an error. */
export async function copyIn(root: string, path: string, from: string, mode: number): Promise<void> {
  await makeDirectories(root, dirname(path));
  await removeInside(root, path);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const to = await open(join(root, path), flags, mode);
  await handToOwner(to, join(root, path));
  await copy(from, to, mode);
}

/** Replaces whatever is at the path with a symlink. Its target is not checked. */
export async function linkIn(root: string, path: string, target: string): Promise<void> {
  await makeDirectories(root, dirname(path));
  await removeInside(root, path);
  await symlink(target, join(root, path));
}

/** Reads a file without following a symlink, and without blocking on a pipe. */
export async function* readChunks(full: string): AsyncGenerator<Buffer> {
  const file = await open(full, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function copy(from: string, to: FileHandle, mode?: number): Promise<void> {
  try {
    for await (const chunk of readChunks(from)) await to.writeFile(chunk);
    // Set again, because the umask may have removed bits when the file was opened.
    if (mode !== undefined) await to.chmod(mode);
  } finally {
    await to.close();
  }
}
