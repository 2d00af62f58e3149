import type { GitHub } from '../../core/ports/github-port.ts';
import type { AppDependencies } from '../dependencies.ts';
import { lookAtBaseSoon } from '../revise/look-at-base.ts';

interface BasePushed {
  repo_id: number;
  branch: string;
}

/** V-6: the base of pull requests at rest has new commits. GitHub tells of no conflict by itself, so it is asked. */
export async function onBasePushed(
  deps: AppDependencies,
  github: () => Promise<GitHub>,
  { repo_id, branch }: BasePushed,
): Promise<void> {
  for (const { run, target, pull } of await deps.store.runs.placed('resting')) {
    if (target.repo_id !== repo_id || target.default_branch !== branch || pull === undefined) continue;
    await lookAtBaseSoon(deps, await github(), run);
  }
}
