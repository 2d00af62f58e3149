import { readlink, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkWorktreePath } from '../../core/work/worktree-path.ts';
import { lookInside, makeDirectories, pruneEmptyParents } from '../disk/inside-directory.ts';
import { readInside } from '../disk/read-inside.ts';
import { removeInside } from '../disk/set-aside.ts';
import { writeInside } from '../disk/write-inside.ts';
import type { RepositoryObjects } from './repository-objects.ts';
import type { RawChange, TreeEntry } from './tree-diff.ts';

/** Larger files are written without being compared first. */
const MAX_COMPARED_BYTES = 10 * 1024 * 1024;
const AT_ONCE = 8;
/** Git's mode for a file that is not there, and for a submodule, whose content is in no commit of this repository. */
const NO_FILE = '000000';
const SUBMODULE = '160000';

/** A path of a commit, without an entry if the commit does not have it. */
interface CommittedPath {
  path: string;
  entry?: TreeEntry;
}

/** The paths at which two commits differ: as they are in the one, and as they are in the other. */
export interface Move {
  from: CommittedPath[];
  to: CommittedPath[];
}

/**
 * Gives a checkout of one commit the files of another one. No hook, filter or setting of either takes part, and nothing of them
 * is run. Files that are the same in both stay as they are, and so does whatever no commit has.
 */
export async function moveToCommit(
  worktree: string,
  objects: Pick<RepositoryObjects, 'changes' | 'blob' | 'setHead'>,
  { from, to }: { from: string; to: string },
): Promise<Move> {
  const changes = (await objects.changes(from, to)).filter(
    ({ name, oldMode, newMode }) =>
      checkWorktreePath(name).ok && oldMode !== SUBMODULE && newMode !== SUBMODULE,
  );
  const move = {
    from: changes.map(({ name, oldMode, oldId }) => committed(name, oldMode, oldId)),
    to: changes.map(({ name, newMode, newId }) => committed(name, newMode, newId)),
  };
  await writeCommittedPaths(worktree, objects, move.to);
  await objects.setHead(to);
  return move;
}

/** Gives the paths the content that they have in their commit. */
export async function writeCommittedPaths(
  worktree: string,
  objects: Pick<RepositoryObjects, 'blob'>,
  paths: readonly CommittedPath[],
): Promise<void> {
  // Deletions come first and one by one, because a file may have become a directory.
  for (const { path, entry } of paths) {
    if (entry) continue;
    await removeInside(worktree, path);
    await pruneEmptyParents(worktree, path);
  }
  const written = paths.flatMap(({ path, entry }) => (entry ? [{ path, entry }] : []));
  for (let at = 0; at < written.length; at += AT_ONCE) {
    const some = written.slice(at, at + AT_ONCE);
    const contents = await Promise.all(some.map(({ entry }) => objects.blob(entry.id)));
    for (const [index, { path, entry }] of some.entries())
      await writeCommitted(worktree, path, entry.mode, contents[index] as Buffer);
  }
}

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

function committed(path: string, mode: RawChange['oldMode'], id: string): CommittedPath {
  return mode === NO_FILE ? { path } : { path, entry: { mode, id } };
}
