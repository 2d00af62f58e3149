import { type Approvals, isApproved } from '../../core/work/is-approved.ts';
import { isInScope } from '../../core/work/path-pattern.ts';
import { checkWorktreePath } from '../../core/work/worktree-path.ts';

export type WriteVerdict =
  | { ok: true }
  | { ok: false; why: 'invalid_path'; path: string; problem: string }
  /** E-5: `changed` has the files changed so far, `path` is the one over the limit. */
  | { ok: false; why: 'file_limit'; path: string; limit: number; changed: string[] }
  /** E-6 */
  | { ok: false; why: 'out_of_scope'; path: string; scope: string[] };

/** Judges a write by the files changed so far. The scope comes first, because a file outside it does not count for the limit. */
export function judgeWrite(
  write: Approvals & {
    path: string;
    changed: ReadonlySet<string>;
    maxFiles: number | 'off';
    scope: readonly string[] | undefined;
  },
): WriteVerdict {
  const checked = checkWorktreePath(write.path);
  if (!checked.ok) return { ok: false, why: 'invalid_path', path: write.path, problem: checked.problem };
  const { path } = checked;
  if (isApproved(path, write)) return { ok: true };
  if (write.scope !== undefined && !isInScope(path, write.scope)) {
    return { ok: false, why: 'out_of_scope', path, scope: [...write.scope] };
  }
  const { changed, maxFiles } = write;
  if (maxFiles !== 'off' && !changed.has(path) && changed.size >= maxFiles) {
    return { ok: false, why: 'file_limit', path, limit: maxFiles, changed: [...changed].sort() };
  }
  return { ok: true };
}
