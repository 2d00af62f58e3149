import type { AppDependencies } from '../app/dependencies.ts';
import { handleInput } from '../app/handle-input.ts';
import { logOf } from '../app/handlers/workflow-run-completed.ts';
import type { Dispatch } from '../core/ports/dispatches.ts';
import { workedFor } from '../core/worked-for.ts';
import type { DeskParts } from './desk-parts.ts';
import { whyStopped } from './why-stopped.ts';

/**
 * The job of this Actions run has ended. If it said its last word, the run knows already; otherwise it was lost. A job that a
 * person cancelled says a last word, too, because it saves its work.
 */
export async function endOwnJob(
  { job: { actionsRun, attempt, now } }: DeskParts,
  deps: AppDependencies,
  dispatch: Dispatch,
  conclusions: readonly string[],
): Promise<void> {
  const { op, run, job, kind, verification } = dispatch;
  const at = now().toISOString();
  const target = await deps.store.runs.target(run);
  // Stopped by Autobuild itself: it is neither a loss nor a person's cancel.
  const isStopped = dispatch.outcome !== undefined;
  const isCancelled = conclusions.includes('cancelled');
  const { state } = await deps.store.runs.load(run);
  const reason =
    state && target && isCancelled
      ? whyStopped(
          dispatch,
          state,
          conclusions,
          now(),
          workedFor(await (await deps.github(target)).workflowJobs(actionsRun, attempt)),
        )
      : undefined;
  const outcome = dispatch.outcome ?? reason ?? describeEnd(conclusions);
  if (target && !isStopped)
    await handleInput(
      deps,
      run,
      {
        type: 'job_ended',
        at,
        job,
        kind,
        verification,
        outcome,
        cancelled: isCancelled && reason === undefined ? true : undefined,
        log_url: logOf(deps, target, actionsRun),
      },
      [`workflow-run:${actionsRun}:${attempt}`],
    );
  await deps.store.dispatches.change(op, { ended_at: (await deps.store.now()).toISOString(), outcome });
}

function describeEnd(conclusions: readonly string[]): string {
  const worst = conclusions.find((one) => one !== 'success' && one !== 'skipped' && one !== '');
  return `the Actions job ended (${worst ?? 'without a last word'})`;
}
