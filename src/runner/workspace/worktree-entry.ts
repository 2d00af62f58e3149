import { createHash } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { lstat, open, readlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isGitName } from '../../core/work/worktree-path.ts';
import { blobName, standInText } from './stand-in.ts';

/** The current state of a worktree path in git's terms. Symlinks are not followed. */
export type Found =
  | { kind: 'absent' }
  | { kind: 'content'; mode: '100644' | '100755' | '120000'; stats: BigIntStats }
  | { kind: 'stand_in'; text: string };

const ABSENT: Found = { kind: 'absent' };

/** Caches which parents are directories. Create a new one for each pass over the worktree. */
export function createExaminer(worktree: string, maxContentBytes: number): (path: string) => Promise<Found> {
  const parents = new Map<string, Promise<boolean>>();
  const isRealDirectory = (dir: string): Promise<boolean> => {
    if (dir === '.') return Promise.resolve(true);
    let known = parents.get(dir);
    if (known === undefined) {
      known = isRealDirectory(dirname(dir)).then(async (above) => {
        if (!above) return false;
        return (await lstat(join(worktree, dir)).catch(() => undefined))?.isDirectory() ?? false;
      });
      parents.set(dir, known);
    }
    return known;
  };
  return async (path) => {
    if (!(await isRealDirectory(dirname(path)))) return ABSENT;
    const full = join(worktree, path);
    let stats: BigIntStats;
    try {
      stats = await lstat(full, { bigint: true });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return code === 'ENOENT' || code === 'ENOTDIR' ? ABSENT : standIn(`unreachable (${code})`);
    }
    const names = path.split('/');
    if (names.some(isGitName)) {
      return stats.isDirectory() ? standIn("git's own directory") : standIn("git's own file", stats);
    }
    if (stats.isSymbolicLink()) {
      // Git refuses a symlink of this name, because old versions of git would follow it.
      if (names.at(-1)?.toLowerCase() === '.gitmodules') return standIn('link', stats);
      return { kind: 'content', mode: '120000', stats };
    }
    if (!stats.isFile()) return ABSENT;
    if (stats.size > BigInt(maxContentBytes)) return standIn('large file', stats);
    if ((stats.mode & 0o444n) !== 0o444n && !(await isReadable(full)))
      return standIn('unreadable file', stats);
    return { kind: 'content', mode: (stats.mode & 0o100n) === 0n ? '100644' : '100755', stats };
  };
}

/** The object name of the file or symlink, without writing an object. */
export async function hashContent(full: string, mode: string, maxBytes: number): Promise<string> {
  if (mode === '120000') return blobName(await readlink(full, { encoding: 'buffer' }));
  const file = await open(full, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size } = await file.stat();
    if (size > maxBytes) return `grew to ${size} bytes`;
    const hash = createHash('sha1').update(`blob ${size}\0`);
    let left = size;
    const buffer = Buffer.allocUnsafe(Math.min(Math.max(size, 1), 1024 * 1024));
    while (left > 0) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, left));
      if (bytesRead === 0) break;
      hash.update(buffer.subarray(0, bytesRead));
      left -= bytesRead;
    }
    return hash.digest('hex');
  } finally {
    await file.close();
  }
}

function standIn(kind: string, stats?: BigIntStats): Found {
  return { kind: 'stand_in', text: standInText(kind, stats) };
}

/** Opens the file, because `access` answers for another user if the process has changed its own. */
async function isReadable(full: string): Promise<boolean> {
  try {
    const file = await open(full, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    await file.close();
    return true;
  } catch {
    return false;
  }
}
