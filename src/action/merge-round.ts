import type { JobLink } from '../core/ports/job-link.ts';
import type { BaseMerge } from '../core/work/base-merge.ts';
import type { Changeset } from '../core/work/changeset.ts';
import type { JobMerge } from '../runner/job/job.ts';
import { makeMergedChangeset } from '../runner/workspace/make-merged-changeset.ts';
import type { CommittedFile } from '../runner/workspace/merge-base.ts';
import type { RepositoryObjects } from '../runner/workspace/repository-objects.ts';
import type { Workspace } from '../runner/workspace/workspace.ts';
import { readChangeset } from './restore-work.ts';

interface MergedRound extends JobMerge {
  /** Called before the work of an earlier job is restored. */
  settle(): Promise<void>;
  changeset(): Promise<Changeset>;
}

/**
 * V-6: merges the base, which is checked out, into the pull request. From then on only what differs from the merge is the
 * agent's. Undefined in every other round. If an earlier job has merged before, its files are a change of the base, too.
 */
export async function mergeRound(
  workspace: Workspace,
  objects: Pick<RepositoryObjects, 'list' | 'blob'>,
  link: Pick<JobLink, 'getBlob'>,
  baseSha: string,
): Promise<MergedRound | undefined> {
  const saved = await link.getBlob('changeset');
  const parts = saved && readChangeset(saved).merge;
  if (!parts || readChangeset(saved).base_sha !== baseSha) return undefined;
  const both = parts.files.filter(({ before }) => before !== undefined).map(({ path }) => path);
  const committed = await readCommitted(objects, baseSha, both);
  const { base, tree: merged, conflicts } = await workspace.merge(parts, committed);
  await workspace.restoreTree(merged);
  // Git may ignore files that were committed all the same. Their conflicts are resolved like any other.
  await workspace.track([...both, ...conflicts]);
  // Not the merge itself: other files that git ignores are not in a snapshot, and would count as deleted.
  await workspace.setBase(await workspace.snapshot());
  const present = new Set(await workspace.list(base));
  const done: BaseMerge = { ...parts, done: true };
  return {
    parts,
    conflicts,
    gone: new Set(parts.files.map(({ path }) => path).filter((path) => !present.has(path))),
    async settle() {
      if (parts.done) await workspace.restoreTree(base);
    },
    async changeset() {
      return { ...(await makeMergedChangeset(workspace, baseSha, { base, merged })), merge: done };
    },
  };
}

async function readCommitted(
  objects: Pick<RepositoryObjects, 'list' | 'blob'>,
  commit: string,
  paths: readonly string[],
): Promise<CommittedFile[]> {
  // Git lists all files if none is named.
  const entries = paths.length === 0 ? new Map() : await objects.list(commit, paths);
  const files: CommittedFile[] = [];
  for (const path of paths) {
    const entry = entries.get(path);
    if (entry?.mode.startsWith('100'))
      files.push({ path, mode: entry.mode, bytes: await objects.blob(entry.id) });
  }
  return files;
}
