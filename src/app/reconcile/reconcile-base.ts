import type { PlacedRun } from '../../core/ports/run-log.ts';
import { lookAtBaseSoon } from '../revise/look-at-base.ts';
import type { RepositoryRound } from './repository-round.ts';

const PAUSE_MS = 6 * 3_600_000;

/** V-6: a conflict with the base whose push nobody told of. A head is looked at once GitHub knows, then a few times a day. */
export async function reconcileBase(
  { deps, github, mayRead }: RepositoryRound,
  placed: PlacedRun,
): Promise<void> {
  const { run, phase, pull } = placed;
  if (phase !== 'resting' || pull === undefined) return;
  const { head } = await deps.store.publications.of(run);
  const { base } = (await deps.store.cursors.get('run', run)) ?? {};
  const known = base?.head === head && base?.conflict !== undefined ? base : undefined;
  if (known && deps.now().getTime() - Date.parse(known.at) < PAUSE_MS) return;
  if (mayRead(placed, 1)) await lookAtBaseSoon(deps, github, run);
}
