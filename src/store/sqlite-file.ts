import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * The cache holds the inner pages for very many runs. The WAL is checkpointed only after 16 MB, because runs are spread over the
 * file.
 */
const SETTINGS = `
  pragma synchronous = full;
  pragma trusted_schema = off;
  pragma cache_size = -65536;
  pragma wal_autocheckpoint = 4000;
  pragma journal_size_limit = 67108864;
  pragma busy_timeout = 0;
`;

/** SQLite's own name for a database without a file. */
export const IN_MEMORY = ':memory:';

/** Opens the file so that every commit is synced before it is acknowledged. Waiting for other writers is left to the dialect. */
export function openSqliteFile(file: string, busyMs: number): DatabaseSync {
  // Without other processes there is nothing to sync or to wait for.
  if (file === IN_MEMORY) return new DatabaseSync(file);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // SQLite creates its other files with the mode of this one.
  closeSync(openSync(file, 'a', 0o600));
  const database = new DatabaseSync(file, { timeout: busyMs });
  try {
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
