import type { JobLink } from '../core/ports/job-link.ts';
import type { BaseMerge } from '../core/work/base-merge.ts';
import type { Changeset } from '../core/work/changeset.ts';
import type { JobMerge } from '../runner/job/job.ts';
import { makeMergedChangeset } from '../runner/workspace/make-merged-changeset.ts';
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
  link: Pick<JobLink, 'getBlob'>,
  baseSha: string,
): Promise<MergedRound | undefined> {
  const saved = await link.getBlob('changeset');
  const parts = saved && readChangeset(saved).merge;
  if (!parts || readChangeset(saved).base_sha !== baseSha) return undefined;
  const base = workspace.base();
  const { tree: merged, conflicts } = await workspace.merge(parts);
  await workspace.restoreTree(merged);
  // Not the merge itself: files that git ignores are not in a snapshot, and would count as deleted.
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
