import { randomUUID } from 'node:crypto';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { HostedStore, Wake } from '../core/ports/hosted-store.ts';
import { checkKey } from './check-key.ts';
import { createDatabase } from './hosted/database.ts';
import { createHostedStore } from './hosted/hosted-store.ts';
import { migrate } from './hosted/migrate.ts';
import { MIGRATIONS } from './hosted/migrations/all.ts';
import type { Tables } from './hosted/tables.ts';
import { listen } from './postgres-listener.ts';
import { createSealer } from './seal.ts';
import { asUnavailable } from './unavailable.ts';

const CONNECTIONS = 10;
const CONNECT_MS = 5000;
const STATEMENT_MS = 20_000;
/** Longer than the server's own limit; it covers a server that has disappeared. */
const QUERY_MS = 30_000;
const CHANNEL = 'autobuild_wake';
const INT8 = 20;

/** Supports any number of instances. Rows that one of them adds wake the others. */
export async function openPostgresStore({
  url,
  key,
  clock,
}: {
  url: string;
  key: string;
  clock?: string;
}): Promise<HostedStore> {
  const sealer = createSealer(key);
  const pool = createPool(url);
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const instance = randomUUID();
  const database = createDatabase({
    db,
    dialect: 'postgres',
    clock,
    async notify(trx, whats) {
      for (const what of whats)
        await sql`select pg_notify(${CHANNEL}, ${`${instance} ${what}`})`.execute(trx);
    },
  });
  try {
    await migrate(db, 'postgres', MIGRATIONS);
    await checkKey(db, sealer);
    const listener = await listen({
      url,
      channel: CHANNEL,
      onMessage(message) {
        const [from = '', what = ''] = splitOnce(message);
        if (from !== instance) database.wake(what as Wake);
      },
      onMissed() {
        database.wake('inbox');
        database.wake('outbox');
      },
    });
    return createHostedStore(database, sealer, async () => {
      await listener.close();
      await db.destroy();
    });
  } catch (error) {
    // Not `destroy`, because it does not end a pool that was never used.
    await pool.end();
    throw asUnavailable(error);
  }
}

function createPool(url: string): pg.Pool {
  const types = new pg.TypeOverrides();
  // As numbers, because milliseconds and GitHub's ids are far below 2^53.
  types.setTypeParser(INT8, Number);
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS,
    types,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: QUERY_MS,
    idle_in_transaction_session_timeout: QUERY_MS,
    keepAlive: true,
    application_name: 'autobuild',
  });
  // An error without a listener would end the process. A query on the lost connection rejects by itself; an idle connection is
  // replaced.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

function splitOnce(message: string): [string, string] {
  const at = message.indexOf(' ');
  return [message.slice(0, at), message.slice(at + 1)];
}
