import type { ClaimedLane, Outbox } from '../../core/ports/outbox.ts';

/** A worker's stay in one lane. */
interface Shift {
  lease: ClaimedLane;
  /** The rest of the lane is left to others. */
  onlyUrgent: boolean;
  end(): void;
}

/** Leases a lane for one worker. Undefined if there is none for it now. */
export type BeginShift = (leaseMs: number) => Promise<Shift | undefined>;

/**
 * Shares the workers of this process among the lanes. R-14: writes of one installation wait for one another, so its backlog would
 * take up all workers; it has only some of them. R-9: one worker is kept for stopping and starting jobs, and these are performed
 * also while their installation has all the workers it may have.
 */
export function createLaneCrew(
  outbox: Outbox,
  { atOnce, ofOneInstallation }: { atOnce: number; ofOneInstallation: number },
): BeginShift {
  /** The installation of each lane in which all effects are performed, by the fence of its lease. */
  const at = new Map<string, number | undefined>();
  const countOf = (installation: number) => [...at.values()].filter((one) => one === installation).length;
  const isFull = (installation: number | undefined): installation is number =>
    installation !== undefined && countOf(installation) >= ofOneInstallation;
  const begin: BeginShift = async (leaseMs) => {
    const areAllBusy = at.size >= atOnce - 1;
    const full = [...new Set(at.values())].filter(isFull);
    const lease = await outbox.claim(leaseMs, { full, onlyUrgent: areAllBusy });
    if (!lease) return undefined;
    const { fence, installation } = lease;
    const onlyUrgent = areAllBusy || isFull(installation);
    if (!onlyUrgent) at.set(fence, installation);
    return { lease, onlyUrgent, end: () => void at.delete(fence) };
  };
  let last: Promise<unknown> = Promise.resolve();
  // One after the other, because two that look at once would both take the last place of an installation.
  return (leaseMs) => {
    const mine = last.then(() => begin(leaseMs));
    last = mine.catch(() => undefined);
    return mine;
  };
}
