import type { SetAside } from '../../core/work/change.ts';
import { checkWorktreePath } from '../../core/work/worktree-path.ts';
import { isInside, lookInside, pruneEmptyParents, resolveLinks } from '../disk/inside-directory.ts';
import { restoreSetAside, setAside } from '../disk/set-aside.ts';
import type { StandInNames } from './stand-in.ts';
import type { TreeEntry } from './tree-diff.ts';
import type { Tree, TreeStore } from './tree-store.ts';
import type { WorktreeIndex } from './worktree-index.ts';

/**
 * Gives each path the tree's content, or removes it. All paths are set aside before the first is written, because one may be a
 * symlink that is a parent of another.
 */
export async function revertPaths(
  store: { worktree: string; trees: TreeStore; names: StandInNames },
  { paths, asideDir, tree, base }: { paths: readonly string[]; asideDir: string; tree: Tree; base: Tree },
): Promise<SetAside[]> {
  const { worktree, trees, names } = store;
  if (isInside(worktree, await resolveLinks(asideDir))) {
    throw new Error(`${asideDir} is inside the worktree. Give a directory outside it to set files aside.`);
  }
  const entries = await trees.read(tree);
  const items: SetAside[] = [];
  const wanted = new Map<string, TreeEntry>();
  for (const given of new Set(paths)) {
    const checked = checkWorktreePath(given);
    const path = checked.ok ? checked.path : given;
    if (entries.has(names.encode(path))) {
      const problem = 'its content was too large or unreadable, so no copy of it was kept';
      items.push({ path, kind: 'refused', problem });
      continue;
    }
    const item = await setAside(worktree, path, asideDir);
    const entry = entries.get(path);
    items.push(tree === base ? item : { ...item, instead: entry?.id ?? null });
    if (item.kind === 'refused') continue;
    if (entry === undefined) await pruneEmptyParents(worktree, path);
    else wanted.set(path, entry);
  }
  const failed = await trees.checkOut(wanted);
  for (const [at, item] of items.entries()) {
    const problem = failed.get(item.path);
    if (problem === undefined) continue;
    await restoreSetAside(worktree, item);
    items[at] = { path: item.path, kind: 'refused', problem };
  }
  return items;
}

/** Restores each item, unless its path was written again since it was reverted. Returns the restored paths. */
export async function restoreReverted(
  items: readonly SetAside[],
  store: { worktree: string; index: WorktreeIndex; base: ReadonlyMap<string, TreeEntry> },
): Promise<string[]> {
  const { worktree, index, base } = store;
  const back: string[] = [];
  for (const item of items) {
    if (item.kind === 'refused') continue;
    const { stats } = await lookInside(worktree, item.path);
    const identity = (await index.identify([item.path])).get(item.path);
    const expected = item.instead === undefined ? base.get(item.path)?.id : item.instead;
    if (stats?.isDirectory() || identity?.id !== (expected ?? undefined)) continue;
    await restoreSetAside(worktree, item);
    back.push(item.path);
  }
  return back;
}
