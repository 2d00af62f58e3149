import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readlink, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { lookInside, makeDirectories } from './inside-directory.ts';
import { removeInside } from './set-aside.ts';

const CHUNK_BYTES = 64 * 1024;

/** What stands at a path of the worktree, known well enough to tell whether it is still the same. */
export type Standing =
  | { kind: 'file'; mode: number; digest: string }
  | { kind: 'link'; target: string }
  | { kind: 'none' }
  | { kind: 'directory' }
  /** A pipe, a socket: nothing that could be kept. */
  | { kind: 'special' }
  | { kind: 'unreadable' }
  /** A parent is no directory: a link, most likely. Nothing is looked for behind it. */
  | { kind: 'behind'; obstacle: string };

export async function standingAt(root: string, path: string): Promise<Standing> {
  const { stats, obstacle } = await lookInside(root, path);
  if (obstacle) return { kind: 'behind', obstacle: obstacle.path };
  if (!stats) return { kind: 'none' };
  const full = join(root, path);
  if (stats.isSymbolicLink()) return { kind: 'link', target: await readlink(full) };
  if (stats.isDirectory()) return { kind: 'directory' };
  if (!stats.isFile()) return { kind: 'special' };
  try {
    return { kind: 'file', mode: stats.mode & 0o777, digest: await digestOf(full) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return { kind: 'unreadable' };
    throw error;
  }
}

export function isSameStanding(one: Standing, other: Standing): boolean {
  switch (one.kind) {
    case 'file':
      return other.kind === 'file' && one.digest === other.digest && one.mode === other.mode;
    case 'link':
      return other.kind === 'link' && one.target === other.target;
    default:
      return one.kind === other.kind;
  }
}

/** Copies a file out of the worktree, of whatever size, never through a link. */
export async function copyOut(root: string, path: string, to: string): Promise<void> {
  await copy(join(root, path), await open(to, 'w', 0o600));
}

/** Puts a copy in place of whatever stands at the path. A link on the way is an error. */
export async function copyIn(root: string, path: string, from: string, mode: number): Promise<void> {
  await makeDirectories(root, dirname(path));
  await removeInside(root, path);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  // The mode also says what the umask took away.
  await copy(from, await open(join(root, path), flags, mode), mode);
}

async function copy(from: string, to: FileHandle, mode?: number): Promise<void> {
  try {
    for await (const chunk of chunksOf(from)) await to.writeFile(chunk);
    if (mode !== undefined) await to.chmod(mode);
  } finally {
    await to.close();
  }
}

/** The link itself: where it leads is never asked. */
export async function linkIn(root: string, path: string, target: string): Promise<void> {
  await makeDirectories(root, dirname(path));
  await removeInside(root, path);
  await symlink(target, join(root, path));
}

async function digestOf(full: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunksOf(full)) hash.update(chunk);
  return hash.digest('hex');
}

async function* chunksOf(full: string): AsyncGenerator<Buffer> {
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
