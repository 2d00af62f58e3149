import { type Dispatch, isCondemned } from '../../core/ports/dispatches.ts';
import type { RunTarget } from '../../core/ports/run-target.ts';
import type { AppDependencies } from '../dependencies.ts';
import { handleInput } from '../handle-input.ts';
import { whyCancelled } from '../why-cancelled.ts';

interface EndedActionsRun {
  actions_run: number;
  attempt: number;
  conclusion: string | null;
  ended_at: string;
}

/**
 * Handles the end of an Actions run. Its end is charged to the job it was dispatched for and to no other. The job was lost unless
 * it had parked or finished before.
 */
export async function onWorkflowRunCompleted(deps: AppDependencies, ended: EndedActionsRun): Promise<void> {
  const { store } = deps;
  const dispatch = await store.dispatches.ofActionsRun(ended.actions_run);
  // A later attempt holds the token: the end of an earlier one says nothing.
  if (!dispatch || dispatch.ended_at || (dispatch.attempt ?? 1) > ended.attempt) return;
  const { op, run } = dispatch;
  // a machine that Actions has lost may work on, and the successor of a job that never began has the same number.
  await deps.jobs.silence(op);
  const end = async (outcome: string) =>
    store.dispatches.change(op, { ended_at: (await store.now()).toISOString(), outcome });
  // Stopped by Autobuild itself.
  if (dispatch.outcome !== undefined) return void (await end(dispatch.outcome));
  const target = await store.runs.target(run);
  const isCancelled = ended.conclusion === 'cancelled';
  const reason = target && isCancelled ? await whyCancelled(deps, target, dispatch, ended) : undefined;
  const outcome = reason ?? `the Actions run ended (${ended.conclusion ?? 'no conclusion'})`;
  if (!target || (await hasSuccessor(deps, dispatch))) return void (await end(outcome));
  const { job, kind, verification } = dispatch;
  await handleInput(
    deps,
    run,
    {
      type: 'job_ended',
      at: deps.now().toISOString(),
      job,
      kind,
      verification,
      outcome,
      cancelled: isCancelled && reason === undefined ? true : undefined,
      log_url: logOf(deps, target, ended.actions_run),
    },
    [`workflow-run:${ended.actions_run}:${ended.attempt}`],
  );
  await end(outcome);
}

/** Another dispatch for the same job is under way, so the job is not lost. */
async function hasSuccessor({ store }: AppDependencies, { op, run, job, kind }: Dispatch): Promise<boolean> {
  const open = await store.dispatches.open(run);
  return open.some(
    (other) => other.op !== op && other.job === job && other.kind === kind && !isCondemned(other),
  );
}

export function logOf({ settings }: AppDependencies, { owner, repo }: RunTarget, actionsRun: number): string {
  return `${settings.webUrl}/${owner}/${repo}/actions/runs/${actionsRun}`;
}
