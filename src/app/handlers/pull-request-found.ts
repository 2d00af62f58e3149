import type { GitHub } from '../../core/ports/github-port.ts';
import type { PlacedRun } from '../../core/ports/run-log.ts';
import type { AppDependencies } from '../dependencies.ts';
import { catchUp } from '../reconcile/reconcile-comments.ts';

/**
 * It was not created by this attempt. If the response to its creation was lost, people could write there before its number was known
 * here, and their comments were told of a pull request without a run. They are read once; if the desk stops before, by reconcile.
 */
export async function onPullRequestFound(
  deps: AppDependencies,
  github: GitHub,
  placed: Pick<PlacedRun, 'run' | 'target'>,
  number: number,
): Promise<void> {
  await catchUp({ deps, github, hearsAtRest: true, mayRead: () => true }, placed, number, false);
}
