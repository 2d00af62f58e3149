import { sql } from 'kysely';
import { CLOCKS } from '../database.ts';
import type { Migration } from '../migrate.ts';

/** The slots of a repository's runs, and what they cost by month. */
export const slotsAndSpending: Migration = {
  name: '0004-slots-and-spending',
  async up(trx, dialect) {
    const now = sql.raw(CLOCKS[dialect]);
    const small = sql.raw(dialect === 'postgres' ? '' : 'without rowid');
    await sql`alter table runs add column slot_ms bigint`.execute(trx);
    await sql`alter table runs add column queued_ms bigint`.execute(trx);
    // Runs that work have their machine already.
    await sql`update runs set slot_ms = ${now} where phase = 'working'`.execute(trx);
    await sql`create index runs_of_slot on runs (repo_id) where slot_ms is not null`.execute(trx);
    await sql`create index runs_in_queue on runs (repo_id, queued_ms) where queued_ms is not null`.execute(
      trx,
    );
    await sql`create table spending (
      repo_id bigint not null,
      month text not null,
      dollars double precision not null,
      primary key (repo_id, month)
    ) ${small}`.execute(trx);
  },
};
