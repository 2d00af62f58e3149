import type { HostedStore } from '../../../src/core/ports/hosted-store.ts';

/** A database of one kind for one test. */
export interface Backend {
  /** What `openStore` takes: also what child processes are started with. */
  where: { databaseUrl?: string; file?: string };
  /** Opens the store in another way than `openStore`. */
  open?(key: string, clock?: string): Promise<HostedStore>;
  /** The words for a wrong key, if they are others than those of a database. */
  wrongKey?: string;
  /** Values that an older key sealed are sealed anew when the store is opened. */
  resealsValues?: boolean;
  /** Looks behind the store's back. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  remove(): Promise<void>;
}

/** Makes a database, with nothing in it or with the tables of today; one call per test. */
export type MakeBackend = (content: 'empty' | 'tables') => Promise<Backend>;

export const KEY = Buffer.alloc(32, 7).toString('base64');
export const OTHER_KEY = Buffer.alloc(32, 9).toString('hex');

/** What a contract test works with. Everything opened is closed after it. */
export interface Bench {
  backend: Backend;
  open(key?: string, clock?: string): Promise<HostedStore>;
}
