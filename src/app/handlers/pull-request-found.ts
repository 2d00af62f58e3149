import type { GitHub } from '../../core/ports/github-port.ts';
import type { PlacedRun } from '../../core/ports/run-log.ts';
import type { AppDependencies } from '../dependencies.ts';
import { catchUp } from '../reconcile/reconcile-comments.ts';

/**
 * The response to its creation was lost, so that people could write there before its number was known here. Their comments were
 * told of a pull request without a run. If the desk stops before they are read, reconcile reads them.
 */
export async function onPullRequestFound(
  deps: AppDependencies,
  github: GitHub,
  placed: Pick<PlacedRun, 'run' | 'target'>,
  number: number,
): Promise<void> {
  await catchUp({ deps, github, hearsAtRest: true, mayRead: () => true }, placed, number, false);
}
