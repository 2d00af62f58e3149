import type { RefStorage } from '../../core/ports/ref-storage.ts';
import { beginElsewhere } from './begin-elsewhere.ts';
import { isHeld, readLease } from './lease.ts';
import { REF_PREFIX } from './ref-name.ts';

/** People read a finished issue again for some days, and comment on its pull request. */
const DAY_MS = 24 * 60 * 60_000;
export const KEPT_MS = 7 * DAY_MS;
/** Each one costs a call. */
const MOST_AT_ONCE = 100;

/**
 * Removes the states of issues whose runs have all ended some days ago. A ref that a desk has taken, or takes meanwhile, stays.
 * Refs of other makes stay, too. Answers with the removed ones.
 */
export async function removeOldRefs({
  storage,
  now,
}: {
  storage: Pick<RefStorage, 'list' | 'read' | 'remove'>;
  now(): number;
}): Promise<string[]> {
  const removed: string[] = [];
  const refs = beginElsewhere(await storage.list(REF_PREFIX), MOST_AT_ONCE, now());
  for (const ref of refs.slice(0, MOST_AT_ONCE)) {
    const tip = await storage.read(ref);
    const lease = tip && readLease(tip.message);
    if (!tip || !lease || isHeld(lease, now()) || !lease.ended) continue;
    if (now() - Date.parse(lease.ended) < KEPT_MS) continue;
    if (await storage.remove(ref, tip.oid)) removed.push(ref);
  }
  return removed;
}
