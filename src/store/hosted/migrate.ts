import { sql } from 'kysely';
import type { Db, Trx } from './tables.ts';

export type Dialect = 'sqlite' | 'postgres';

export interface Migration {
  name: string;
  up(trx: Trx, dialect: Dialect): Promise<void>;
}

export class SchemaError extends Error {
  override name = 'SchemaError';
}

/** An arbitrary advisory lock id. Instances that start together wait for each other here. */
const LOCK = 8_172_635_401;

/** Applies the missing migrations, each in a transaction that also records it. */
export async function migrate(db: Db, dialect: Dialect, migrations: readonly Migration[]): Promise<void> {
  // One iteration more than there are migrations, because the last one finds nothing to do.
  for (let step = 0; step <= migrations.length; step += 1) {
    const moved = await db.transaction().execute((trx) => migrateOnce(trx, dialect, migrations));
    if (!moved) return;
  }
}

async function migrateOnce(trx: Trx, dialect: Dialect, migrations: readonly Migration[]): Promise<boolean> {
  if (dialect === 'postgres') {
    // Migrating a large table may exceed the time limits of ordinary queries.
    await sql`select set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true)`.execute(
      trx,
    );
    await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(trx);
  }
  await sql`create table if not exists migrations (number integer primary key, name text not null)`.execute(
    trx,
  );
  const { rows } = await sql<{ name: string }>`select name from migrations order by number`.execute(trx);
  for (const [index, { name }] of rows.entries()) {
    if (migrations[index]?.name === name) continue;
    throw new SchemaError(
      `The database has the migration ${name}, which this version does not know. ` +
        'Start the version that wrote it, or a newer one, or restore a backup from before.',
    );
  }
  const next = migrations[rows.length];
  if (!next) return false;
  await next.up(trx, dialect);
  await sql`insert into migrations (number, name) values (${rows.length + 1}, ${next.name})`.execute(trx);
  return true;
}
