import { phaseOf } from '../../core/contracts/run-state.ts';
import type { AppDependencies } from '../dependencies.ts';
import { comesBack, restoreDeleted } from '../restore/restore-comment.ts';
import { labelOf } from '../restore/restore-turns.ts';
import { isRefusedForGood } from '../workers/retry-policy.ts';
import { readEdit } from './reconcile-comments.ts';
import { compareLabel } from './reconcile-issue.ts';

/**
 * the turns of an hour were used up, and a new hour has begun. Reconcile counts what it left as handled, because reading it
 * again in each round would cost calls. So the comment or the label is read once here, and restored if it is not as it was written.
 */
export async function restoreLater(deps: AppDependencies, run: string, what: string): Promise<void> {
  try {
    await look(deps, run, what);
  } catch (error) {
    if (!isRefusedForGood(error)) throw error;
    deps.log.warn({ run, what, error: String(error) }, 'it cannot be read, so it stays as it is');
  }
}

async function look(deps: AppDependencies, run: string, what: string): Promise<void> {
  const { runs, comments } = deps.store;
  const { state } = await runs.load(run);
  const target = await runs.target(run);
  if (!state || !target) return;
  const github = await deps.github(target);
  if (what === labelOf(run)) {
    const issue = phaseOf(state) === 'ended' ? undefined : await github.issue(target.issue);
    if (issue) await compareLabel(deps, state, issue);
    return;
  }
  const ours = await comments.find(what);
  const comment = ours?.comment_id === undefined ? undefined : await github.comment(ours.comment_id);
  if (comment) return readEdit(deps, github, target.issue, comment);
  if (ours && comesBack(state, ours)) await restoreDeleted(deps, state, ours);
}
