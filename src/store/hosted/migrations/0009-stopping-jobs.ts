import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/** When the stop of a job was first tried, so that its grace is measured by one clock and begins once. */
export const stoppingJobs: Migration = {
  name: '0009-stopping-jobs',
  async up(trx) {
    await sql`alter table dispatches add column stopping_ms bigint`.execute(trx);
  },
};
