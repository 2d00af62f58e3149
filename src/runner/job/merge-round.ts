import type { BaseUpdate } from '../../core/contracts/revision.ts';
import type { CheckResult, Verification } from '../../core/contracts/verification.ts';
import { normalizeError } from '../../core/errors/error-signature.ts';
import { isBeside, unresolvedIn } from '../../core/work/judge-merge.ts';
import { readInside } from '../disk/read-inside.ts';
import type { Job, JobMerge, WorkOrders } from './job.ts';
import { repairStateDir, writeStateFile } from './repair-state-dir.ts';

const MAX_BYTES = 5_000_000;

/**
 * V-6: a merge without a conflict is all that was asked for, so no agent has to look at it. If the checks fail on it, here or in
 * the fresh job, the next turn is the agent's.
 */
export function needsNoAgent({ merge }: Job, { revision, kind, answers, feedback }: WorkOrders): boolean {
  if (!merge || merge.conflicts.length > 0 || !revision?.update || kind !== 'normal') return false;
  const { remarks, ci = [], instruction } = revision;
  const isOnlyUpdate = remarks.length === 0 && ci.length === 0 && instruction === undefined;
  return isOnlyUpdate && answers.length === 0 && feedback?.ok !== false;
}

/** The turn of such a merge: its report says what happened, and the checks come next, as after every turn. */
export async function playMerge(
  job: Job,
  { turn, kind, resumed, revision }: WorkOrders,
): Promise<{ kind: 'ended'; exit: string; failed: false }> {
  const { workspace, stateDir } = job;
  job.meter.observe({ type: 'turn_started', turn, counted: kind === 'normal' });
  await job.claim('turn_started', { kind, resumed });
  const { branch = '', sha = '' } = revision?.update ?? {};
  const summary = `Merged ${branch} (${sha.slice(0, 7)}) without conflicts.`;
  await repairStateDir(workspace.worktree, stateDir);
  const text = `${JSON.stringify({ status: 'implemented', summary })}\n`;
  await writeStateFile(workspace.worktree, stateDir, { name: 'report.json', text, mode: 0o644 });
  return { kind: 'ended', exit: 'no agent was needed', failed: false };
}

/** A conflict that is still in the files is a failing check, so that the agent hears of it. The desk looks for itself. */
export async function checkConflicts(job: Job, verification: Verification): Promise<Verification> {
  const left: string[] = [];
  for (const path of job.merge?.conflicts ?? []) {
    const read = await readInside(job.workspace.worktree, path, MAX_BYTES);
    if (read.ok) left.push(...unresolvedIn([{ path, content: read.bytes.toString('base64') }]));
  }
  if (left.length === 0) return verification;
  const errors = left.slice(0, 20).map((path) => {
    const message = isBeside(path)
      ? `${path} still has the name that the merge gave it`
      : `${path} still has conflict markers`;
    return { message, signature: normalizeError(message), file: path };
  });
  const check: CheckResult = {
    ...{ command: 'no conflict markers', ok: false, exit_code: 1, timed_out: false, duration_ms: 0 },
    output_tail: errors.map(({ message }) => message).join('\n'),
    errors,
  };
  return { ...verification, ok: false, checks: [...verification.checks, check] };
}

/** The update as the agent is told of it: the files that are left in conflict, and the commits behind each side. */
export function withConflicts({ merge }: Job, update: BaseUpdate): BaseUpdate {
  const { branch, sha } = update;
  if (!merge) return update;
  return { branch, sha, conflicts: merge.conflicts, sides: merge.conflicts.flatMap(sidesOf(merge)) };
}

const sidesOf =
  ({ parts, gone }: JobMerge) =>
  (path: string): NonNullable<BaseUpdate['sides']> => {
    const file = parts.files.find((one) => one.path === path);
    if (!file) return [];
    const deleted = 'deletes the file';
    return [
      {
        path,
        head: [...(file.head === null ? [deleted] : []), ...(file.commits?.head ?? [])],
        base: [...(gone.has(path) ? [deleted] : []), ...(file.commits?.base ?? [])],
      },
    ];
  };
