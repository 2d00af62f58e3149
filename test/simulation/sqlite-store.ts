import { DatabaseSync } from 'node:sqlite';
import type { HostedStore } from '../../src/core/ports/hosted-store.ts';
import { createSealer } from '../../src/store/seal.ts';
import { createSqliteStore } from '../../src/store/sqlite.ts';
import type { World } from './world.ts';

const SEALER = createSealer(Buffer.alloc(32, 7).toString('base64'));

const database = new DatabaseSync(':memory:');
let now = () => 0;
let store: HostedStore | undefined;
let emptying = '';

/** One database is emptied for every history, because migrating and preparing statements takes longer than playing some. */
export async function emptySqliteStore(world: World): Promise<HostedStore> {
  now = () => world.now;
  if (!store) {
    store = await createSqliteStore(database, { sealer: SEALER, clock: () => now() });
    const tables = database
      .prepare(
        "select name from sqlite_master where type = 'table' and name not in ('migrations', 'settings')",
      )
      .all();
    emptying = tables.map(({ name }) => `delete from ${name};`).join('');
  }
  database.exec(emptying);
  return store;
}
