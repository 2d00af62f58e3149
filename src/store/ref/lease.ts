import { z } from 'zod';

/** Longer than the time limit of a desk's job, so that a lease cannot run out while its holder works. */
export const LEASE_MS = 15 * 60_000;

/** Clocks of two machines may differ by this much. */
const CLOCKS_APART_MS = 2 * 60_000;

/** Who works on the state of an issue: one part of one attempt of an Actions run. */
export type Holder = z.infer<typeof Holder>;
const Holder = z.object({ run: z.number().int(), attempt: z.number().int(), part: z.string().max(40) });

/** The message of the ref's commit, as one line of JSON. Everyone who can read the repository can read it. */
type Lease = z.infer<typeof Lease>;
const Lease = z.object({
  holder: Holder.nullable(),
  /** For a held lease: until when, by the holder's clock. Otherwise when it was given back. */
  until: z.iso.datetime(),
  /** When the last run of the issue ended, if all have. */
  ended: z.iso.datetime().optional(),
  /** A random value, by which a writer whose answer was lost knows its own commit. */
  id: z.string().max(40),
});

export function writeLease(lease: Lease): string {
  return JSON.stringify(lease);
}

/** Undefined if the message is not one of ours. */
export function readLease(message: string): Lease | undefined {
  try {
    return Lease.safeParse(JSON.parse(message)).data;
  } catch {
    return undefined;
  }
}

/**
 * True if the holder is this one or came before it. The parts of one Actions run follow each other, and an attempt begins when
 * the one before has ended.
 */
export function isOwn(holder: Holder, mine: Holder): boolean {
  return holder.run === mine.run && holder.attempt <= mine.attempt;
}

/** A desk that died leaves its name in the lease, so the name alone says nothing. */
export function isHeld(lease: Lease, now: number): boolean {
  return lease.holder !== null && !isExpired(lease, now);
}

export function isExpired({ until }: Lease, now: number): boolean {
  return now > Date.parse(until) + CLOCKS_APART_MS;
}

/**
 * By how much the clock of the desk before was ahead of this one, so that the times in the state never go back: an effect that
 * is due by one desk's clock would wait in the next one's. A difference that no working clocks have is not adopted.
 */
export function aheadOf({ holder, until }: Lease, now: number): number {
  const written = Date.parse(until) - (holder ? LEASE_MS : 0);
  const ahead = written - now;
  return ahead > 0 && ahead <= CLOCKS_APART_MS ? ahead : 0;
}

export function describeHolder({ run, attempt, part }: Holder): string {
  return `the job \`${part}\` of the Actions run ${run}${attempt > 1 ? `, attempt ${attempt}` : ''}`;
}
