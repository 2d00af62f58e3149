import type { ClaimedLane, Outbox } from '../../core/ports/outbox.ts';
import { createShares } from './shares.ts';

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
  const shares = createShares(ofOneInstallation);
  const begin: BeginShift = async (leaseMs) => {
    const areAllBusy = shares.taken() >= atOnce - 1;
    const lease = await outbox.claim(leaseMs, { full: shares.full(), onlyUrgent: areAllBusy });
    if (!lease) return undefined;
    const onlyUrgent = areAllBusy || shares.isFull(lease.installation);
    const end = onlyUrgent ? () => undefined : shares.take(lease.installation);
    return { lease, onlyUrgent, end };
  };
  return (leaseMs) => shares.inTurn(() => begin(leaseMs));
}
