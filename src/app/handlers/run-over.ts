import { isFinished } from '../../core/run-state.ts';
import { decideForRun } from '../decide-for-run.ts';
import type { AppParts } from '../parts.ts';

/** The label was taken off, or the issue closed, locked, moved or deleted: the run is cancelled (C-6). */
export async function onIssueGone(
  parts: AppParts,
  gone: { repo_id: number; issue: number; login: string; seen: string },
): Promise<void> {
  const run = await parts.store.runs.ofIssue(gone.repo_id, gone.issue);
  if (!run) return;
  const { state } = await parts.store.runs.load(run);
  if (!state || isFinished(state)) return;
  const at = parts.now().toISOString();
  await decideForRun(
    parts,
    run,
    { type: 'command', at, command: { name: 'cancel' }, by: gone.login, via: 'comment' },
    [gone.seen],
  );
}

/** The pull request's fate is the run's. */
export async function onPullRequestClosed(
  parts: AppParts,
  closed: { repo_id: number; number: number; merged: boolean; login: string; seen: string },
): Promise<void> {
  const run = await parts.store.marks.get(`run-of-pull:${closed.repo_id}:${closed.number}`);
  if (!run) return;
  const at = parts.now().toISOString();
  const outcome = closed.merged ? 'approved' : 'rejected';
  await decideForRun(parts, run, { type: 'judged', at, outcome, by: closed.login }, [closed.seen]);
}

/** An Actions run that ended: a job that had parked or finished is no news, any other was lost. */
export async function onWorkflowRunCompleted(
  parts: AppParts,
  ended: { actions_run: number; attempt: number; conclusion: string | null; run: string },
): Promise<void> {
  const { state } = await parts.store.runs.load(ended.run);
  if (!state || isFinished(state)) return;
  const job = await parts.store.tokens.actionsRunOf(ended.run, state.jobs);
  if (job?.actions_run !== ended.actions_run || job.attempt !== ended.attempt) return;
  const at = parts.now().toISOString();
  const reason = `the Actions run ended (${ended.conclusion ?? 'no conclusion'})`;
  const seen = [`workflow-run:${ended.actions_run}:${ended.attempt}`];
  await decideForRun(
    parts,
    ended.run,
    { type: 'job_lost', at, reason, verifying: state.verifying !== undefined },
    seen,
  );
}
