import { checkWorktreePath } from '../../core/work/worktree-path.ts';
import { pruneEmptyParents } from '../disk/inside-directory.ts';
import { removeInside } from '../disk/set-aside.ts';
import type { StandInNames } from './stand-in.ts';
import type { TreeEntry } from './tree-diff.ts';
import type { Tree, TreeStore } from './tree-store.ts';

/** Gives the worktree the tree's content. The index must be up to date, and no longer is afterwards. */
export async function restoreTree(
  store: { worktree: string; trees: TreeStore; names: StandInNames },
  tree: Tree,
): Promise<void> {
  const { worktree, trees, names } = store;
  const wanted = new Map<string, TreeEntry>();
  for (const entry of await trees.compareIndex(tree)) {
    if (names.isStandIn(entry.name)) {
      // A large file that the tree does not have is removed; git's own directories are not ours to delete.
      const path = names.decode(entry.name);
      if (entry.status === 'A' && checkWorktreePath(path).ok) await discard(worktree, path);
    } else if (entry.status === 'A') await discard(worktree, entry.name);
    else wanted.set(entry.name, { mode: entry.oldMode, id: entry.oldId });
  }
  await trees.checkOut(wanted, { force: true });
}

async function discard(worktree: string, path: string): Promise<void> {
  await removeInside(worktree, path);
  await pruneEmptyParents(worktree, path);
}
