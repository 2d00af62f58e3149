import type { HostedStore } from '../../core/ports/hosted-store.ts';
import type { RefStorage } from '../../core/ports/ref-storage.ts';
import type { RefKeys } from './keys.ts';

/** Who works on the state of an issue: one part of one attempt of an Actions run. */
export interface Holder {
  run: number;
  attempt: number;
  part: string;
}

export type EntryName = 'brief' | 'checkpoint';

/** The state of one issue, taken from its ref for as long as this desk works on it. */
export interface RefStore {
  store: HostedStore;
  /** True if there was no state yet. */
  isNew: boolean;
  /** Writes the state to the ref and renews the lease. Throws `LeaseLostError` if another desk has taken it. */
  save(): Promise<void>;
  /** Saves, gives the lease back and closes the store. With `ended`, the ref may be removed some days after that time. */
  release(options?: { ended?: string }): Promise<void>;
  /** Written to the ref with the next save. */
  putEntry(name: EntryName, bytes: Uint8Array | undefined): void;
  getEntry(name: EntryName): Promise<Uint8Array | undefined>;
  /** Closes the store and leaves the lease to run out, as if the process had been killed. */
  abandon(): Promise<void>;
}

export interface RefStoreOptions {
  storage: RefStorage;
  /** owner/name */
  repository: string;
  issue: number;
  keys: RefKeys;
  holder: Holder;
  /** True if that attempt of that Actions run has ended. */
  isOver(holder: Holder): Promise<boolean>;
  now(): number;
  sleep(ms: number): Promise<void>;
  /** An existing directory for the temporary database. */
  directory: string;
}

export function openRefStore(_options: RefStoreOptions): Promise<RefStore> {
  throw new Error('not yet');
}
