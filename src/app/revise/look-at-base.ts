import { isAtRest } from '../../core/contracts/run-state.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import type { AppDependencies } from '../dependencies.ts';
import { write } from '../handle-input.ts';

/** GitHub takes some seconds to compute whether a pull request conflicts. */
const PAUSE_MS = 5_000;
const MOST_READS = 4;

type Reader = Pick<GitHub, 'pullRequest'>;

/**
 * V-6: whether a pull request at rest conflicts with its base. The description is written when the answer is a new one. Returns
 * true if GitHub is still computing it.
 */
async function lookAtBase(deps: AppDependencies, github: Reader, run: string): Promise<boolean> {
  const { publications, runs, cursors } = deps.store;
  const { pull: number, head } = await publications.of(run);
  const { state } = await runs.load(run);
  if (number === undefined || head === undefined || !state || !isAtRest(state)) return false;
  const pull = await github.pullRequest(number);
  if (pull?.state !== 'open') return false;
  const cursor = await cursors.get('run', run);
  const known = cursor?.base?.head === head ? cursor.base.conflict : undefined;
  const conflict = pull.mergeable === undefined ? known : !pull.mergeable;
  const base = { head, at: deps.now().toISOString(), conflict };
  await cursors.set('run', run, { ...cursor, base });
  if ((conflict ?? false) !== (known ?? false)) await write(deps, run, [{ type: 'describe_pull' }]);
  return pull.mergeable === undefined;
}

/** After a head was published: the base may have moved while it was built. */
export function lookAtBaseLater(deps: AppDependencies, github: Reader, run: string): void {
  deps.later?.(PAUSE_MS, () => lookAtBaseSoon(deps, github, run));
}

/** The same, and again some seconds later until GitHub knows. If the desk stops before, reconcile asks. */
export async function lookAtBaseSoon(
  deps: AppDependencies,
  github: Reader,
  run: string,
  reads = 1,
): Promise<void> {
  const isUnknown = await lookAtBase(deps, github, run);
  if (isUnknown && reads < MOST_READS)
    deps.later?.(PAUSE_MS, () => lookAtBaseSoon(deps, github, run, reads + 1));
}
