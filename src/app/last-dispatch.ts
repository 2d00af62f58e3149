import type { JobKind } from '../core/ports/job-api.ts';
import type { AppDependencies } from './dependencies.ts';

/** The newest dispatched workflow run. It may end without ever having claimed its ticket. */
interface LastDispatch {
  kind: JobKind;
  /** The number of the job it was started for. */
  job?: number;
  /** Absent if GitHub did not return it. */
  actions_run?: number;
  at: string;
  ended?: true;
}

const mark = (run: string) => `dispatched:${run}`;

/** The mark of an Actions run that the desk itself cancelled. Its end is neither a lost job nor a person's cancel. */
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
