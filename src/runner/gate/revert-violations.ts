import type { SetAside } from '../../core/work/change.ts';
import type { Tree } from '../workspace/tree-store.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { digestInWorktree } from './proposed-content.ts';
import type { TurnChanges } from './turn-changes.ts';

const DIFF_BYTES = 4_000;
const DIFFS_SHOWN = 5;

interface Reverted {
  /** The files that were set aside, each with the digest of its content. */
  items: SetAside[];
  /** The diff and the digest of a file, for a person. */
  shown(path: string): { diff?: string; digest?: string };
}

/** Reverts files to what they were before the agent wrote them. */
export async function revertViolations(
  { workspace, asideDir }: { workspace: Workspace; asideDir: string },
  changes: TurnChanges,
  paths: readonly string[],
): Promise<Reverted> {
  const diffs = new Map<string, string>();
  const digests = new Map<string, string | undefined>();
  const byTree = new Map<Tree, string[]>();
  for (const path of paths) {
    const tree = await changes.treeBeforeViolation(path);
    digests.set(path, await digestInWorktree(workspace.worktree, path));
    if (diffs.size < DIFFS_SHOWN) diffs.set(path, (await workspace.diff([path], DIFF_BYTES, tree)).text);
    const some = byTree.get(tree) ?? [];
    some.push(path);
    byTree.set(tree, some);
  }
  const items: SetAside[] = [];
  for (const [tree, some] of byTree) items.push(...(await workspace.revert(some, asideDir, tree)));
  return {
    items: items.map((item) => ({ ...item, digest: digests.get(item.path) })),
    shown: (path) => ({ diff: diffs.get(path), digest: digests.get(path) }),
  };
}
