import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/**
 * The issue that each answered source belongs to, so that it is known whether a run still needs it. Where neither run nor issue was
 * recorded, both stay unknown, and the row is kept. The index finds the publications that were not emptied yet.
 */
export const retention: Migration = {
  name: '0007-retention',
  async up(trx) {
    await sql`alter table seen add column repo_id bigint`.execute(trx);
    await sql`alter table seen add column issue bigint`.execute(trx);
    await sql`update seen set
      repo_id = (select runs.repo_id from runs where runs.run = seen.run),
      issue = (select runs.issue from runs where runs.run = seen.run)
      where run <> ''`.execute(trx);
    await sql`create index publications_full on publications (run) where body <> '{}'`.execute(trx);
  },
};
