import type { PlacedRun } from '../../core/ports/run-log.ts';
import { lookAtBaseSoon } from '../revise/look-at-base.ts';
import { hasPassed } from './has-passed.ts';
import type { RepositoryRound } from './repository-round.ts';

const PAUSE_MS = 6 * 3_600_000;
/** Several people may say something at once. */
const PAUSE_UNHEARD_MS = 10 * 60_000;

/**
 * V-6: a conflict with the base whose push nobody told of. A desk that stays has looked at the head after it was published, and
 * hears of pushes, so it looks again only a few times a day. Any other desk looks until GitHub knows, and again when somebody
 * says something.
 */
export async function reconcileBase(
  { deps, github, mayRead }: RepositoryRound,
  placed: PlacedRun,
): Promise<void> {
  const { run, phase, pull } = placed;
  if (phase !== 'resting' || pull === undefined) return;
  const { cursors, publications } = deps.store;
  const { head } = await publications.of(run);
  if (head === undefined) return;
  const cursor = await cursors.get('run', run);
  const known = cursor?.base?.head === head ? cursor.base : undefined;
  const isLookedAt = deps.later !== undefined || known?.conflict !== undefined;
  const at = deps.now().toISOString();
  if (isLookedAt && !known) return cursors.set('run', run, { ...cursor, base: { head, at } });
  const pauseMs = deps.later ? PAUSE_MS : PAUSE_UNHEARD_MS;
  if (isLookedAt && known && !hasPassed(pauseMs, { since: Date.parse(known.at), now: Date.parse(at) }))
    return;
  if (mayRead(placed, 1)) await lookAtBaseSoon(deps, github, run);
}
