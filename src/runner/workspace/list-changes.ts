import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Change } from '../../core/work/change.ts';
import type { StandInNames } from './stand-in.ts';
import { type LineCount, parseTreeDiff, type RawChange } from './tree-diff.ts';
import { DIFF_OPTIONS, type Tree } from './tree-store.ts';
import type { TrustedGit } from './trusted-git.ts';

const COUNT_TIMEOUT_MS = 60_000;
const UNCOUNTED: LineCount = { added: 0, removed: 0, binary: true };

/** Lists the differences between a tree and the index. The index must be up to date. */
export async function listChanges(git: TrustedGit, names: StandInNames, base: Tree): Promise<Change[]> {
  const compared = await git.run(['diff-index', '--raw', '--no-abbrev', '-z', ...DIFF_OPTIONS, base]);
  const counted = await git
    .run(['diff-index', '--numstat', '-z', ...DIFF_OPTIONS, base], { timeoutMs: COUNT_TIMEOUT_MS })
    // A comparison that takes too long must not cost the list, so its files are shown as binary.
    .catch(() => undefined);
  const counts = counted && parseTreeDiff(counted.text).counts;
  const changes = new Map<string, Change>();
  for (const entry of parseTreeDiff(compared.text).raw) {
    const path = names.decode(entry.name);
    const change = await describeChange(git.worktree, path, entry, counts?.get(entry.name) ?? UNCOUNTED);
    const other = changes.get(path);
    changes.set(path, other === undefined ? change : mergeHalves(other, change));
  }
  return [...changes.values()].sort((one, two) => compareText(one.path, two.path));
}

/** Compares by code unit, so that the order is the same on every machine. */
export function compareText(one: string, two: string): number {
  return one < two ? -1 : one > two ? 1 : 0;
}

async function describeChange(
  worktree: string,
  path: string,
  entry: RawChange,
  count: LineCount,
): Promise<Change> {
  const status = entry.status === 'A' ? 'added' : entry.status === 'D' ? 'deleted' : 'modified';
  const stats = status === 'deleted' ? undefined : await lstat(join(worktree, path)).catch(() => undefined);
  return { path, status, ...count, mode: entry.newMode, size: stats?.size ?? 0 };
}

/** A file that became too large to store, or small enough again, is deleted under one name and added under the other. */
function mergeHalves(one: Change, two: Change): Change {
  const now = one.status === 'deleted' ? two : one;
  const added = one.added + two.added;
  return { ...now, status: 'modified', added, removed: one.removed + two.removed, binary: true };
}
