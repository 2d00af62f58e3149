import type { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import type { HostedStore } from '../core/ports/hosted-store.ts';
import { checkKey } from './check-key.ts';
import { type Append, createDatabase } from './hosted/database.ts';
import { createHostedStore } from './hosted/hosted-store.ts';
import { migrate } from './hosted/migrate.ts';
import { MIGRATIONS } from './hosted/migrations/all.ts';
import type { Tables } from './hosted/tables.ts';
import { createNodeSqliteDialect } from './node-sqlite-dialect.ts';
import { createSealer, type Sealer } from './seal.ts';
import { openSqliteFile } from './sqlite-file.ts';
import { createSyncLater, type SyncFile } from './sync-later.ts';
import { asUnavailable } from './unavailable.ts';

const BUSY_MS = 10_000;

/** An SQL expression of milliseconds, or a function. */
export type Clock = string | (() => number);

/** A store in one local file, for one instance. Writes are durable when their promise resolves (WAL, synchronous=FULL). */
export async function openSqliteStore({
  file,
  key,
  busyMs = BUSY_MS,
  clock,
}: {
  file: string;
  key: string;
  /** The time to wait for another process that writes. */
  busyMs?: number;
  /** Another clock than this machine's, for tests. */
  clock?: Clock;
}): Promise<HostedStore> {
  const sealer = createSealer(key);
  try {
    return await createSqliteStore(openSqliteFile(file, busyMs), { sealer, busyMs, clock });
  } catch (error) {
    throw asUnavailable(error);
  }
}

/** Closes the connection if the store cannot be used, and when the store is closed. */
export async function createSqliteStore(
  connection: DatabaseSync,
  {
    sealer,
    busyMs = BUSY_MS,
    clock,
    syncFile,
  }: { sealer: Sealer; busyMs?: number; clock?: Clock; syncFile?: SyncFile },
): Promise<HostedStore> {
  const later = createSyncLater(connection, syncFile);
  const db = new Kysely<Tables>({ dialect: createNodeSqliteDialect(connection, busyMs, later.beforeUse) });
  try {
    await migrate(db, 'sqlite', MIGRATIONS);
    await checkKey(db, sealer);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  const expression = typeof clock === 'function' ? 'given_clock()' : clock;
  if (typeof clock === 'function') connection.function('given_clock', clock);
  const append: Append = async (commits) => {
    const { result, synced } = await db.connection().execute((held) => later.commit(() => commits(held)));
    await synced;
    return result;
  };
  const database = createDatabase({
    db,
    dialect: 'sqlite',
    clock: expression,
    notify: async () => undefined,
    // In memory there is nothing to sync.
    append: connection.location() === null ? undefined : append,
  });
  return createHostedStore(database, sealer, async () => {
    // Waits for running queries, because the only connection is handed out in turn. It closes also if the disk refuses to sync.
    await db
      .connection()
      .execute(async () => undefined)
      .catch(() => undefined);
    await later.close();
    await db.destroy();
  });
}
