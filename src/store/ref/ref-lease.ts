import { randomBytes } from 'node:crypto';
import { userError } from '../../core/error-catalogue.ts';
import type { RefStorage, RefTip } from '../../core/ports/ref-storage.ts';
import { describeHolder, type Holder, isExpired, isOwn, LEASE_MS, readLease, writeLease } from './lease.ts';
import { LeaseLostError } from './lease-lost-error.ts';
import { persist } from './persist.ts';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 15_000;

type Entries = Record<string, Uint8Array | { oid: string }>;
/** New bytes by entry. Undefined: the entry goes. */
type Changes = Record<string, Uint8Array | undefined>;

interface RefLeaseOptions {
  storage: RefStorage;
  ref: string;
  /** owner/name */
  repository: string;
  holder: Holder;
  /** True if that attempt of that Actions run has ended. */
  isOver(holder: Holder): Promise<boolean>;
  now(): number;
  /** The clock of the times that are written. */
  clock(): number;
  sleep(ms: number): Promise<void>;
  /** How long a desk waits for another one. */
  waitMs: number;
  /**
   * `at first save` spares a change of the ref where nobody else works on the issue. Until then nothing may be written to GitHub,
   * because another desk may be faster, and all that this one decided is void then.
   */
  lease: 'now' | 'at first save';
}

/** A ref that nobody else writes to until it is released or taken over. */
interface RefLease {
  /** The entries as they are on the ref now. */
  entries(): Record<string, string>;
  /** True if it has to be taken or renewed by a write. */
  isDue(): boolean;
  /** Writes the entries that changed and keeps the lease. */
  write(changed: Changes): Promise<void>;
  /** Writes the entries that changed and gives the lease back. Only those named in `keep` stay, if it is given. */
  release(changed: Changes, options: { ended?: string; keep?: string[] }): Promise<void>;
}

/**
 * Waits while another desk has the ref, then takes it with compare-and-swap. Compare-and-swap alone is not enough: two desks
 * that work on copies of one state would both perform its effects, and only then would one of them fail to save.
 */
export async function takeRef(
  options: RefLeaseOptions,
  /**
   * Makes the first entries of a ref that is not there yet, or reads those of the one that is. Called before anything is
   * written, so that a ref that cannot be used stays as it is; again, if another desk was faster.
   */
  prepare: (tip: RefTip | undefined) => Promise<Entries>,
): Promise<RefLease> {
  const { storage, ref, holder, now, clock, sleep } = options;
  const patience = now() + options.waitMs;
  for (let pause = FIRST_PAUSE_MS; ; ) {
    const tip = await persist(sleep, () => storage.read(ref));
    const busy = tip && (await findHolder(tip, options));
    if (!busy) {
      const entries = await prepare(tip);
      if (options.lease === 'at first save') return createLease(options, tip, false);
      const message = heldMessage(holder, clock());
      const taken = await swapOnce(options, tip?.oid, { message, entries });
      if (taken) return createLease(options, taken, true);
    }
    if (now() >= patience)
      throw userError('state_busy', {
        ref,
        holder: busy ? describeHolder(busy.holder) : 'one job after the other',
        until: busy?.until,
      });
    await sleep(pause);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}

/** The desk that has the ref now, unless it can be taken. */
async function findHolder(
  tip: RefTip,
  { ref, repository, holder: mine, isOver, now, sleep }: RefLeaseOptions,
): Promise<{ holder: Holder; until: string } | undefined> {
  const lease = readLease(tip.message);
  if (!lease) throw userError('state_foreign', { ref, oid: tip.oid, repository });
  const { holder, until } = lease;
  if (!holder || isOwn(holder, mine) || isExpired(lease, now())) return undefined;
  return (await persist(sleep, () => isOver(holder))) ? undefined : { holder, until };
}

function createLease(options: RefLeaseOptions, found: RefTip | undefined, isTaken: boolean): RefLease {
  const { storage, ref, holder, now, clock, sleep } = options;
  let tip = found;
  let renewed = isTaken ? now() : Number.NEGATIVE_INFINITY;

  async function swap(message: string, entries: Entries, withoutHistory = false): Promise<void> {
    const began = now();
    const next = await swapOnce(options, tip?.oid, { message, entries, withoutHistory });
    if (next) {
      [tip, renewed] = [next, began];
      return;
    }
    const present = await persist(sleep, () => storage.read(ref));
    const taker = present && readLease(present.message)?.holder;
    throw new LeaseLostError(ref, { oid: present?.oid, holder: taker });
  }

  const withChanges = (changed: Changes): Entries => {
    const all = Object.entries({ ...(tip && keepAll(tip)), ...changed });
    return Object.fromEntries(all.flatMap(([name, entry]) => (entry ? [[name, entry]] : [])));
  };

  return {
    entries: () => tip?.entries ?? {},
    isDue: () => now() - renewed > LEASE_MS / 2,
    write: (changed) => swap(heldMessage(holder, clock()), withChanges(changed)),
    release(changed, { ended, keep }) {
      const all = Object.entries(withChanges(changed));
      const entries = Object.fromEntries(all.filter(([name]) => keep?.includes(name) ?? true));
      const until = new Date(clock()).toISOString();
      const message = writeLease({ holder: null, until, ...(ended && { ended }), id: newId() });
      return swap(message, entries, true);
    },
  };
}

/** One swap, also if GitHub's answer to it was lost: the commit is known by its message. Undefined if the ref moved. */
async function swapOnce(
  { storage, ref, sleep }: RefLeaseOptions,
  before: string | undefined,
  change: Parameters<RefStorage['swap']>[2],
): Promise<RefTip | undefined> {
  const findOwn = async () => {
    const tip = await storage.read(ref);
    return tip?.message === change.message ? tip : undefined;
  };
  let tried = false;
  return persist(sleep, async () => {
    if (tried) {
      const own = await findOwn();
      if (own) return own;
    }
    tried = true;
    const { message } = change;
    const swapped = await storage.swap(ref, before, change);
    return swapped && { ...swapped, message };
  });
}

export function keepAll({ entries }: RefTip): Entries {
  return Object.fromEntries(Object.entries(entries).map(([name, oid]) => [name, { oid }]));
}

function heldMessage(holder: Holder, now: number): string {
  return writeLease({ holder, until: new Date(now + LEASE_MS).toISOString(), id: newId() });
}

function newId(): string {
  return randomBytes(12).toString('base64url');
}
