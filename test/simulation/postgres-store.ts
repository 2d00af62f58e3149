import pg from 'pg';
import type { HostedStore } from '../../src/core/ports/hosted-store.ts';
import { openPostgresStore } from '../../src/store/postgres.ts';
import { KEY } from '../store/hosted/backend.ts';
import { startPostgres } from '../store/hosted/postgres-server.ts';
import type { EmptyStore } from './history.ts';
import type { World } from './world.ts';

const CLOCK = 'test_clock()';

/** One database for all histories, emptied for each. */
export async function openSimulatedPostgres(): Promise<{ emptyStore: EmptyStore; close(): Promise<void> }> {
  const server = await startPostgres();
  const url = await server.createDatabase();
  const store = await openPostgresStore({ url, key: KEY, clock: CLOCK });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    "select tablename from pg_tables where schemaname = 'public' and tablename not in ('migrations', 'settings')",
  );
  const emptying = `truncate ${rows.map(({ tablename }) => tablename).join(', ')} restart identity`;
  let now = () => 0;
  const restoreQueries = writeClock(() => now());
  return {
    async emptyStore(world: World): Promise<HostedStore> {
      now = () => world.now;
      await client.query(emptying);
      return store;
    },
    async close() {
      restoreQueries();
      await client.end();
      await store.close();
      await server.close();
    },
  };
}

/** Writes the virtual time into each statement on its way, because a clock in a table would cost a statement more for each. */
function writeClock(now: () => number): () => void {
  const { prototype } = pg.Client;
  const { query } = prototype;
  type Query = (this: pg.Client, text: unknown, ...others: unknown[]) => unknown;
  const replaced: Query = function (text, ...others) {
    const timed = typeof text === 'string' ? text.replaceAll(CLOCK, `cast(${now()} as bigint)`) : text;
    return (query as Query).call(this, timed, ...others);
  };
  prototype.query = replaced as typeof query;
  return () => {
    prototype.query = query;
  };
}
