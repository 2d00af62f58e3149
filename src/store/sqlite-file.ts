import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** For a file that is new. A webhook fills one of these, instead of four of the usual size that are written one by one. */
const PAGE_BYTES = 16_384;
/** The cache holds the inner pages of very many runs. The log is copied back after 16 MB: runs lie far apart. */
const SETTINGS = `
  pragma synchronous = full;
  pragma trusted_schema = off;
  pragma cache_size = -65536;
  pragma wal_autocheckpoint = 1000;
  pragma journal_size_limit = 67108864;
  pragma busy_timeout = 0;
`;

/** Every commit is synced to the disk before it is acknowledged. Waiting for others is left to the caller: see the dialect. */
export function openSqliteFile(file: string, busyMs: number): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // SQLite gives its other files the mode of this one.
  closeSync(openSync(file, 'a', 0o600));
  const database = new DatabaseSync(file, { timeout: busyMs });
  try {
    database.exec(`pragma page_size = ${PAGE_BYTES}`);
    const mode = database.prepare('pragma journal_mode = wal').get()?.journal_mode;
    if (mode !== 'wal')
      throw new Error(
        `${file} is on a file system without shared memory, which SQLite needs here. Put it on a local disk, or use PostgreSQL.`,
      );
    database.exec(SETTINGS);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
