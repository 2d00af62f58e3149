import { limitsInForce } from '../../../guards/observe.ts';
import type { WriteLimits } from '../../gate/write-guard.ts';
import type { ActionContext } from '../../output/read-action.ts';
import type { Job, WorkOrders } from '../job.ts';

export function actionContextOf({ brief, workspace, now }: Job, { turn }: WorkOrders): ActionContext {
  return {
    turn,
    at: now().toISOString(),
    checks: brief.checks,
    worktree: workspace.worktree,
    knownErrors: brief.known_errors,
  };
}

export function writeLimitsOf(
  job: Job,
  { limits, approved_paths, approved_names, approved_files, approved_folders, kind }: WorkOrders,
): WriteLimits {
  // All changes of a debugging turn are reverted, so there is nothing to allow or to ask about.
  if (kind === 'debug') return { maxFiles: 'off', approvedPaths: [], scope: undefined, readOnly: true };
  const inForce = limitsInForce(limits);
  return {
    maxFiles: inForce.files ?? 'off',
    approvedPaths: approved_paths,
    approvedNames: approved_names,
    approvedFiles: approved_files,
    approvedFolders: approved_folders,
    scope: inForce.scope ? job.brief.task.scope : undefined,
    readOnly: false,
  };
}

/** An approval also allows edits that were within the limits but made without asking the gate. */
export function isApproval({ answers }: WorkOrders): boolean {
  return answers.some((answer) => answer.command === 'approve');
}
