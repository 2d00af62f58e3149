import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/** For the pages: a summary of each run, and the sessions of signed-in people. */
export const pages: Migration = {
  name: '0003-pages',
  async up(trx, dialect) {
    const small = sql.raw(dialect === 'postgres' ? '' : 'without rowid');
    // Missing for runs of older versions, whose state is read instead.
    await sql`alter table runs add column summary text`.execute(trx);
    await sql`create table sessions (
      hash text primary key,
      family text not null,
      login text not null,
      made_ms bigint not null,
      until_ms bigint not null
    ) ${small}`.execute(trx);
    await sql`create index sessions_family on sessions (family)`.execute(trx);
    await sql`create index sessions_until on sessions (until_ms)`.execute(trx);
  },
};
