import type { AppDependencies } from '../dependencies.ts';

/**
 * a run that reconcile never saw is read on its own, which costs several calls. After a first start or a long outage that
 * would be every run at once, so each installation has only some of these reads per hour. Meanwhile the lists of the repositories
 * show what is new.
 */
export interface FirstReads {
  /** False if the rest has to wait for a later round. */
  take(calls: number): boolean;
  /**
   * Keeps for later rounds how many are left, whichever desk has them. Reads that are still under way get no more of them, because the
   * next round has them.
   */
  close(): Promise<void>;
}

const MINUTE_MS = 60_000;
/** The hour after a first start stays below R-14's thousand with this many. */
const PER_MINUTE = 3;
/** Those of one run, which may be the only one that is read for a quarter of an hour. */
const MOST_AT_ONCE = 12;

export async function openFirstReads(
  { store, now }: Pick<AppDependencies, 'store' | 'now'>,
  installation_id: number,
): Promise<FirstReads> {
  const key = String(installation_id);
  const at = now();
  const before = await store.cursors.get('first_reads', key);
  const passed = before ? Math.max(0, at.getTime() - Date.parse(before.at)) : Number.POSITIVE_INFINITY;
  const began = Math.min(MOST_AT_ONCE, (before?.left ?? 0) + (passed / MINUTE_MS) * PER_MINUTE);
  let left = began;
  return {
    take(calls) {
      if (left < calls) return false;
      left -= calls;
      return true;
    },
    async close() {
      const kept = left;
      left = 0;
      // Also where nothing was taken: a time that was stored while a clock was ahead is replaced.
      if (kept < MOST_AT_ONCE)
        await store.cursors.set('first_reads', key, { left: kept, at: at.toISOString() });
    },
  };
}
