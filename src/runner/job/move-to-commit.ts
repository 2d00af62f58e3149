import { checkWorktreePath } from '../../core/work/worktree-path.ts';
import { pruneEmptyParents } from '../disk/inside-directory.ts';
import { removeInside } from '../disk/set-aside.ts';
import { writeCommitted } from '../disk/write-committed.ts';
import type { RepositoryObjects } from '../workspace/repository-objects.ts';
import type { RawChange, TreeEntry } from '../workspace/tree-diff.ts';

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

function committed(path: string, mode: RawChange['oldMode'], id: string): CommittedPath {
  return mode === NO_FILE ? { path } : { path, entry: { mode, id } };
}
