import type { JobKind } from '../core/ports/job-api.ts';
import type { AppDependencies } from './dependencies.ts';

/** The newest workflow run that was asked for. It may end without ever having claimed its ticket. */
interface LastDispatch {
  kind: JobKind;
  /** Number of the job it was started for. */
  job?: number;
  /** GitHub does not always tell. */
  actions_run?: number;
  at: string;
  ended?: true;
}

const mark = (run: string) => `dispatched:${run}`;

/** Where it stands among the marks that an Actions run was ended here: its end is neither a loss nor a person's doing. */
export function droppedMark(actionsRun: number): string {
  return `dropped-actions-run:${actionsRun}`;
}

export async function rememberDispatch(
  deps: AppDependencies,
  run: string,
  dispatch: LastDispatch,
): Promise<void> {
  await deps.store.marks.set(mark(run), JSON.stringify(dispatch));
}

export async function lastDispatch(deps: AppDependencies, run: string): Promise<LastDispatch | undefined> {
  const text = await deps.store.marks.get(mark(run));
  return text === undefined ? undefined : (JSON.parse(text) as LastDispatch);
}
