import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { NamedRepository } from '../../core/bindings-of.ts';
import { UserError, userError } from '../../core/error-catalogue.ts';
import type { HostedStore } from '../../core/ports/hosted-store.ts';
import type { RefStorage, RefTip } from '../../core/ports/ref-storage.ts';
import { SchemaError } from '../hosted/migrate.ts';
import { createSealer } from '../seal.ts';
import { type Clock, createSqliteStore } from '../sqlite.ts';
import { openImage, removeImage, takeImage } from './database-image.ts';
import { checkpointKey, openingKeys, type RefKeys } from './keys.ts';
import { aheadOf, type Holder, readLease } from './lease.ts';
import { persist } from './persist.ts';
import { keepAll, takeRef } from './ref-lease.ts';
import { refOf } from './ref-name.ts';
import { resealValues } from './reseal-values.ts';
import { sealShedding } from './seal-shedding.ts';
import { createSealedEntry } from './sealed-entry.ts';

const STATE = 'state';
/** Longer than desks usually work, and shorter than the time limit of the job that waits. */
const WAIT_MS = 5 * 60_000;

/** Entries that a build reads from the ref, each sealed with a key that it can have. */
export type EntryName = 'brief' | 'checkpoint';

/** The state of one issue, taken from its ref for as long as this desk works on it. */
export interface RefStore {
  store: HostedStore;
  /** True if there was no state yet. */
  isNew: boolean;
  /** Writes the state to the ref, if it changed, and renews the lease. Throws `LeaseLostError` if another desk has the ref. */
  save(): Promise<void>;
  /**
   * Saves, gives the lease back and closes the store, with one change of the ref. `ended` is the time when the last run of the
   * issue ended: what only a build needs goes at once, and the ref some days later.
   */
  release(options?: { ended?: string }): Promise<void>;
  /** Sealed at once, on the ref after the next save. */
  putEntry(name: EntryName, bytes: Uint8Array): void;
  /** Gone from the ref after the next save. */
  dropEntry(name: EntryName): void;
  /** The newest one that was put, or the one on the ref. */
  getEntry(name: EntryName): Promise<Uint8Array | undefined>;
  /** Closes the store and leaves the lease, for a desk that has to stop. Unsaved changes are lost. */
  abandon(): Promise<void>;
}

export interface RefStoreOptions {
  storage: RefStorage;
  repository: NamedRepository;
  issue: number;
  keys: RefKeys;
  holder: Holder;
  /** True if that attempt of that Actions run has ended, or does not exist any more. */
  isOver(holder: Holder): Promise<boolean>;
  now(): number;
  sleep(ms: number): Promise<void>;
  /** An existing directory for the temporary database, of this desk alone. */
  directory: string;
  /** How long to wait for another desk. */
  waitMs?: number;
  /** When the lease is taken. `at first save`: until then, nothing may be written to GitHub. */
  lease?: 'now' | 'at first save';
  /** Told what was dropped because the state had become too large. */
  onShed?(what: string[]): void;
  /** A smaller one than GitHub's, for tests. */
  maxBytes?: number;
  /** Another clock of the database than `now`, for tests. */
  clock?: Clock;
}

/**
 * Takes the state of an issue from its ref, into a temporary database that no other desk writes to. The lanes' leases in it are
 * dropped: whoever had them is gone, or this desk would not have the ref.
 */
export async function openRefStore(options: RefStoreOptions): Promise<RefStore> {
  const { storage, repository, issue, keys, sleep, directory, maxBytes } = options;
  const { waitMs = WAIT_MS, lease: when = 'now' } = options;
  const ref = refOf(issue);
  const place = { repository, issue };
  const opening = openingKeys(keys);
  const state = createSealedEntry(
    { ...place, entry: STATE },
    { key: opening.state, isDerived: keys.isDerived, maxBytes },
  );
  const keyOf: Record<EntryName, string> = { brief: keys.brief, checkpoint: checkpointKey(opening, issue) };
  const sealedFor = (entry: EntryName) => createSealedEntry({ ...place, entry }, { key: keyOf[entry] });
  const file = join(directory, `issue-${issue}.db`);
  const read = (oid: string) => persist(sleep, () => storage.blob(oid));

  const close = async () => {
    await database?.store.close();
    removeImage(file);
  };
  let database: { store: HostedStore; image: Buffer } | undefined;
  let isNew = false;
  let aheadMs = 0;
  const clock = () => options.now() + aheadMs;
  let isOutdated = false;

  /** Fills the temporary database, and answers with what the ref is to hold. */
  async function prepare(tip: RefTip | undefined) {
    await close();
    const lease = tip && readLease(tip.message);
    aheadMs = lease ? aheadOf(lease, options.now()) : 0;
    isNew = tip === undefined;
    isOutdated = false;
    if (!tip) {
      database = await openDatabase(undefined);
      return { [STATE]: state.seal(database.image) };
    }
    const oid = tip.entries[STATE];
    if (!oid) throw userError('state_foreign', { ref, oid: tip.oid, repository: repository.name });
    const stored = await read(oid);
    isOutdated = state.isOutdated(stored);
    database = await openDatabase(state.open(stored));
    return keepAll(tip);
  }

  async function openDatabase(image: Buffer | undefined): Promise<{ store: HostedStore; image: Buffer }> {
    const connection = openImage(file, image);
    // Inside the sealed image, the given values are sealed once more.
    const sealer = createSealer(opening.state);
    const store = await createSqliteStore(connection, { sealer, clock: options.clock ?? clock });
    if (image) connection.exec('delete from lanes');
    if (isOutdated) resealValues(connection, sealer);
    return { store, image: takeImage(file) };
  }

  const lease = await takeRef(
    { ...options, repository: repository.name, waitMs, lease: when, ref, clock },
    prepare,
  ).catch(async (error: unknown) => {
    await close();
    if (error instanceof SchemaError) throw userError('state_too_new', { ref, problem: error.message });
    throw error;
  });
  const { store, image } = database as unknown as { store: HostedStore; image: Buffer };
  /** The digest of the state on the ref. Sealing the same state twice gives different bytes. */
  const isOnRef = !isOutdated && !(isNew && when === 'at first save');
  let saved = isOnRef ? digestOf(image) : undefined;
  const changed = new Map<string, Uint8Array | undefined>();
  if (isOutdated)
    await resealCheckpoint().catch(async (error: unknown) => {
      await close();
      throw error;
    });

  /**
   * Otherwise only the next build would seal it again. Until then a repository that is renamed, or a key that is taken away, would
   * lose the conversation and the work in it, although the state was read.
   */
  async function resealCheckpoint(): Promise<void> {
    const oid = lease.entries().checkpoint;
    const entry = sealedFor('checkpoint');
    const stored = oid && (await read(oid));
    if (!stored || !entry.isOutdated(stored)) return;
    try {
      changed.set('checkpoint', entry.seal(entry.open(stored)));
    } catch (error) {
      // A build takes a checkpoint that no given key opens for none, and says so.
      if (!(error instanceof UserError)) throw error;
    }
  }

  /** Calls `write` with what is different from the ref. */
  async function saveBy(
    write: (entries: Record<string, Uint8Array | undefined>) => Promise<void>,
  ): Promise<void> {
    const present = takeImage(file);
    const entries = Object.fromEntries(changed);
    if (digestOf(present) === saved) await write(entries);
    else {
      const { image: now, sealed, shed } = sealShedding(file, present, state.seal);
      if (shed.length > 0) options.onShed?.(shed);
      await write({ ...entries, [STATE]: sealed });
      saved = digestOf(now);
    }
    for (const [name, bytes] of Object.entries(entries))
      if (changed.get(name) === bytes) changed.delete(name);
  }

  return {
    store,
    isNew,
    save: () =>
      saveBy(async (entries) => {
        if (Object.keys(entries).length > 0 || lease.isDue()) await lease.write(entries);
      }),
    async release({ ended } = {}) {
      await saveBy((entries) => lease.release(entries, ended ? { ended, keep: [STATE] } : {}));
      await close();
    },
    putEntry: (name, bytes) => void changed.set(name, sealedFor(name).seal(bytes)),
    dropEntry(name) {
      if (changed.has(name) || lease.entries()[name]) changed.set(name, undefined);
    },
    async getEntry(name) {
      const oid = changed.has(name) ? undefined : lease.entries()[name];
      const stored = changed.get(name) ?? (oid && (await read(oid)));
      return stored ? sealedFor(name).open(stored) : undefined;
    },
    abandon: close,
  };
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
