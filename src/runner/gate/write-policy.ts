import type { ProposedWrite, WriteReason } from '../../core/contracts/guard.ts';
import { type Approvals, isApproved } from '../../core/work/is-approved.ts';
import { isInScope } from '../../core/work/path-pattern.ts';
import { sensitivitiesOf } from '../../core/work/sensitive-path.ts';
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

/** Every reason for a person to look at the write, because the first one found may be the least of them. */
export function reasonsOf(path: string, why: ProposedWrite['why']): WriteReason[] {
  const found = new Set(sensitivitiesOf(path).map((sensitive) => sensitive.why));
  // Every workflow is below a protected path, and says more.
  if (found.has('workflow')) found.delete('protected');
  return [why, ...found];
}

const PATH_SHOWN = 200;

/** The answer to an ask for a path that leads out of the worktree. */
export function describeInvalid({ path, problem }: { path: string; problem: string }): string {
  return `${JSON.stringify(path.slice(0, PATH_SHOWN))} may not be written: ${problem}. Name a file of the worktree by its own path.`;
}
