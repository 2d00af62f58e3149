import type { Change } from '../../core/work/change.ts';
import {
  type Changeset,
  type ChangesetFile,
  MAX_FILE_BYTES,
  MAX_FILE_COUNT,
  MAX_TOTAL_BYTES,
} from '../../core/work/changeset.ts';
import { checkChangesetPaths } from '../../core/work/changeset-path.ts';
import { readInside } from '../disk/read-inside.ts';
import type { Workspace } from './workspace.ts';

/** The agent's current work. Files that a commit cannot have go to `left_out`, so that one symlink does not cost the rest. */
export async function makeChangeset(
  workspace: Pick<Workspace, 'worktree' | 'changes'>,
  baseSha: string,
  limits: { maxFileBytes?: number; maxTotalBytes?: number; maxCount?: number } = {},
): Promise<Changeset> {
  const maxFileBytes = limits.maxFileBytes ?? MAX_FILE_BYTES;
  const maxCount = limits.maxCount ?? MAX_FILE_COUNT;
  let left = limits.maxTotalBytes ?? MAX_TOTAL_BYTES;
  const changes = await workspace.changes();
  const unsafe = new Map(checkChangesetPaths(changes).map(({ path, problem }) => [path, problem]));
  const changeset: Changeset = { base_sha: baseSha, files: [], left_out: [] };
  const leaveOut = (path: string, problem: string) => changeset.left_out.push({ path, problem });
  for (const change of changes) {
    const problem = unsafe.get(change.path) ?? modeProblem(change);
    if (problem) leaveOut(change.path, problem);
    else if (changeset.files.length >= maxCount)
      leaveOut(change.path, `more than ${maxCount} files are changed`);
    else if (change.status === 'deleted') changeset.files.push(deleted(change.path));
    else {
      const read = await readInside(workspace.worktree, change.path, Math.min(maxFileBytes, left));
      if (!read.ok) leaveOut(change.path, read.problem);
      else {
        left -= read.bytes.length;
        changeset.files.push({
          path: change.path,
          mode: change.mode === '100755' ? '100755' : '100644',
          status: change.status,
          content: read.bytes.toString('base64'),
        });
      }
    }
  }
  return changeset;
}

export function modeProblem({ status, mode }: Pick<Change, 'status' | 'mode'>): string | undefined {
  if (status === 'deleted') return undefined;
  if (mode === '120000') return 'it is a symbolic link';
  if (mode === '160000') return 'it is a repository of its own';
  return undefined;
}

export function deleted(path: string): ChangesetFile {
  return { path, mode: '100644', status: 'deleted', content: null };
}
