import {
  type Changeset,
  type ChangesetFile,
  MAX_FILE_BYTES,
  MAX_FILE_COUNT,
  MAX_TOTAL_BYTES,
} from '../../core/work/changeset.ts';
import { checkChangesetPaths } from '../../core/work/changeset-path.ts';
import { deleted, modeProblem } from './make-changeset.ts';
import type { Tree } from './tree-store.ts';
import type { Workspace } from './workspace.ts';

/**
 * V-6: the result of a merge as a change of the base: what the pull request has, and what was changed since the merge. Files that
 * the checks wrote are not part of it, as in every other changeset.
 */
export async function makeMergedChangeset(
  workspace: Pick<Workspace, 'combine'>,
  baseSha: string,
  { base, merged }: { base: Tree; merged: Tree },
): Promise<Changeset> {
  let left = MAX_TOTAL_BYTES;
  const changes = await workspace.combine(base, merged);
  const unsafe = new Map(checkChangesetPaths(changes).map(({ path, problem }) => [path, problem]));
  const changeset: Changeset = { base_sha: baseSha, files: [], left_out: [] };
  for (const { path, status, mode, read } of changes) {
    const problem =
      unsafe.get(path) ??
      modeProblem({ status, mode }) ??
      (changeset.files.length >= MAX_FILE_COUNT
        ? `more than ${MAX_FILE_COUNT} files are changed`
        : undefined);
    if (problem) changeset.left_out.push({ path, problem });
    else if (status === 'deleted') changeset.files.push(deleted(path));
    else {
      const bytes = await read(Math.min(MAX_FILE_BYTES, left));
      if (bytes) changeset.files.push(asFile({ path, status, mode }, bytes));
      else changeset.left_out.push({ path, problem: 'it is too large' });
      left -= bytes?.length ?? 0;
    }
  }
  return changeset;
}

function asFile(
  { path, status, mode }: { path: string; status: 'added' | 'modified'; mode: string },
  bytes: Buffer,
): ChangesetFile {
  return {
    path,
    mode: mode === '100755' ? '100755' : '100644',
    status,
    content: bytes.toString('base64'),
  };
}
