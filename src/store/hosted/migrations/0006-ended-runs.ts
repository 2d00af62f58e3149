import { sql } from 'kysely';
import { CLOCKS } from '../database.ts';
import type { Migration } from '../migrate.ts';

/** When a run ended, so that what only its work needed can be deleted some time later. */
export const endedRuns: Migration = {
  name: '0006-ended-runs',
  async up(trx, dialect) {
    await sql`alter table runs add column ended_ms bigint`.execute(trx);
    // The time was not recorded before, so the retention begins now.
    await sql`update runs set ended_ms = ${sql.raw(CLOCKS[dialect])} where phase = 'ended'`.execute(trx);
  },
};
