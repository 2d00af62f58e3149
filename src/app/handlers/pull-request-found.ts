import type { GitHub } from '../../core/ports/github-port.ts';
import type { PlacedRun } from '../../core/ports/run-log.ts';
import type { AppDependencies } from '../dependencies.ts';
import { catchUp } from '../reconcile/reconcile-comments.ts';

/**
 * It was not created by this attempt. If the response to its creation was lost, people could write there before its number was known
 * here, and their comments were told of a pull request without a run. They are read once; if that fails, by reconcile.
 */
export async function onPullRequestFound(
  deps: AppDependencies,
  github: GitHub,
  placed: Pick<PlacedRun, 'run' | 'target'>,
  number: number,
): Promise<void> {
  try {
    await catchUp({ deps, github, hearsAtRest: true, mayRead: () => true }, placed, number, false);
  } catch (error) {
    // The work is published, whatever becomes of the comments. Another desk may have the state, though.
    if (deps.mustStop?.(error)) throw error;
    deps.log.warn({ run: placed.run, error: String(error) }, 'the comments on a pull request were not read');
  }
}
