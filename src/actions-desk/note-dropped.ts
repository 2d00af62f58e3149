import type { AppDependencies } from '../app/dependencies.ts';
import { write } from '../app/handle-input.ts';
import type { Dispatch } from '../core/ports/dispatches.ts';

/**
 * Has the status say what of a job does not count, and why. The reasons are in our own words, because the agent may have written
 * everything else. `part` tells the deliveries of one job apart.
 */
export async function noteDropped(
  deps: AppDependencies,
  { op, run, job, attempt = 1 }: Dispatch,
  reasons: Readonly<Record<string, number>>,
  part: 'work' | 'result',
): Promise<void> {
  if (Object.keys(reasons).length === 0) return;
  const { cursors } = deps.store;
  const before = await cursors.get('dropped', run);
  const all = { ...(before?.job === job ? before.reasons : {}), ...reasons };
  await cursors.set('dropped', run, { job, reasons: all });
  await write(deps, run, [{ type: 'update_status' }], [`dropped:${op}:${attempt}:${part}`]);
}
