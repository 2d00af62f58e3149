import { createHash } from 'node:crypto';
import { readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { readChunks } from './copy-inside.ts';
import { lookInside } from './inside-directory.ts';

/** The file, symlink or directory at a path, in enough detail to tell later whether it is still the same. */
export type PathState =
  | { kind: 'file'; mode: number; digest: string }
  | { kind: 'link'; target: string }
  | { kind: 'none' }
  | { kind: 'directory' }
  /** A pipe or a socket, which cannot be copied. */
  | { kind: 'special' }
  | { kind: 'unreadable' }
  /** A parent is not a directory, most likely a symlink. It is not followed. */
  | { kind: 'behind'; obstacle: string };

export async function readPathState(root: string, path: string): Promise<PathState> {
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

export function isSameState(one: PathState, other: PathState): boolean {
  switch (one.kind) {
    case 'file':
      return other.kind === 'file' && one.digest === other.digest && one.mode === other.mode;
    case 'link':
      return other.kind === 'link' && one.target === other.target;
    default:
      return one.kind === other.kind;
  }
}

async function digestOf(full: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of readChunks(full)) hash.update(chunk);
  return hash.digest('hex');
}
