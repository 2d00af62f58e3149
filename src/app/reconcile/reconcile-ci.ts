import { isAtRest } from '../../core/contracts/run-state.ts';
import type { PlacedRun } from '../../core/ports/run-log.ts';
import { readCi } from '../revise/read-ci.ts';
import { hasPassed } from './has-passed.ts';
import type { RepositoryRound } from './repository-round.ts';

/** CI of a head is asked for this often, with growing pauses, in case its webhooks were lost. A new head begins again. */
const MOST_READS = 12;
const FIRST_PAUSE_MS = 5 * 60_000;
/** For words that come one after the other. */
const UNHEARD_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 60 * 60_000;

/**
 * V-7: the end of CI whose webhook was lost, and CI that never began because of a conflict. A desk that no webhook reaches has only
 * this, at each word of a person: it reads at once, and as long as CI takes.
 */
export async function reconcileCi(
  { deps, github, mayRead }: RepositoryRound,
  placed: PlacedRun,
): Promise<void> {
  const { run, target, phase } = placed;
  if (phase !== 'resting' || target.revisions?.on_ci_failure === 'off') return;
  const { cursors, runs, publications } = deps.store;
  const { head } = await publications.of(run);
  const cursor = await cursors.get('run', run);
  const before = cursor?.ci?.head === head ? cursor?.ci : undefined;
  const now = deps.now();
  const isHeard = deps.later !== undefined;
  if (head === undefined || before?.over || (isHeard && before && before.reads >= MOST_READS)) return;
  const longer = Math.min(FIRST_PAUSE_MS * 2 ** ((before?.reads ?? 1) - 1), LONGEST_PAUSE_MS);
  const pause = isHeard ? longer : UNHEARD_PAUSE_MS;
  if (before && !hasPassed(pause, { since: Date.parse(before.at), now: now.getTime() })) return;
  const { state } = await runs.load(run);
  if (!state || !isAtRest(state)) return;
  // The head was just published: CI has had no time, and webhooks come first.
  const isDue = before !== undefined || !isHeard;
  if (isDue && !mayRead(placed, 2)) return;
  const reads = isDue ? (before?.reads ?? 0) + 1 : 0;
  const over = isDue && (await readCi(deps, github, run)).read === 'over';
  const ci = { head, reads, at: now.toISOString(), over };
  await cursors.set('run', run, { ...(await cursors.get('run', run)), ci });
}
