import type { Dispatch } from '../../core/ports/dispatches.ts';
import type { WorkflowRun } from '../../core/ports/github/workflow-port.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import type { PlacedRun } from '../../core/ports/run-log.ts';
import type { AppDependencies } from '../dependencies.ts';
import { onWorkflowRunCompleted } from '../handlers/workflow-run-completed.ts';
import { isDueAgain } from './back-off.ts';

/** a job without a heartbeat for this long is checked on GitHub. */
const SILENT_MS = 180_000;
/** GitHub's clock may be behind the database's. */
const OVERLAP_MS = 60_000;

/** Asks Actions about jobs that say nothing, ever more rarely. A job whose end is known is never asked about again. */
export async function lookAfterJobs(
  deps: AppDependencies,
  github: GitHub,
  { run, target }: PlacedRun,
): Promise<void> {
  const { cursors, dispatches } = deps.store;
  const open = await dispatches.open(run);
  if (open.length === 0) return;
  const now = (await deps.store.now()).getTime();
  for (const dispatch of open) {
    const { op, actions_run, heard_at, requested_at } = dispatch;
    const sign = heard_at ?? requested_at;
    if (sign === undefined || now - Date.parse(sign) < SILENT_MS) continue;
    const asked = (await cursors.get('job', op))?.asked_at;
    if (asked && !isDueAgain({ now, since: Date.parse(sign), asked: Date.parse(asked) })) continue;
    const actions =
      actions_run === undefined
        ? await findWorkflowRun(deps, github, target.workflow, dispatch)
        : ((await github.workflowRun(actions_run)) ?? deletedRun(dispatch, actions_run, now));
    if (actions?.status === 'completed') {
      const { id, attempt, conclusion, updated_at: ended_at } = actions;
      await onWorkflowRunCompleted(deps, { actions_run: id, attempt, conclusion, ended_at });
    }
    await cursors.set('job', op, { asked_at: new Date(now).toISOString() });
  }
}

/** only a run that has ended can be deleted. Nothing would ever tell of its end again, and its job would be waited for. */
function deletedRun({ attempt = 1 }: Dispatch, id: number, now: number): EndOfRun {
  const updated_at = new Date(now).toISOString();
  return { id, attempt, status: 'completed', conclusion: 'deleted', updated_at };
}

type EndOfRun = Pick<WorkflowRun, 'id' | 'attempt' | 'status' | 'conclusion' | 'updated_at'>;

/**
 * GitHub answered without the id of the workflow run, whose name contains the operation. It may be over already, and would not be
 * asked for again soon.
 */
async function findWorkflowRun(
  deps: AppDependencies,
  github: GitHub,
  workflow: string,
  { op, requested_at }: Dispatch,
): Promise<EndOfRun | undefined> {
  if (requested_at === undefined) return undefined;
  const since = new Date(Date.parse(requested_at) - OVERLAP_MS).toISOString();
  const runs = await github.workflowRuns(workflow, since);
  const started = runs.find(({ name }) => name.split(' ').includes(op));
  if (started) await deps.store.dispatches.change(op, { actions_run: started.id });
  return started;
}
