import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/**
 * The installation that a webhook is about, so that those of one do not hold up the others. Rows of before have none: a payload may
 * be sealed, and they are handled like all of an unknown installation.
 */
export const webhooksOfInstallations: Migration = {
  name: '0011-webhooks-of-installations',
  async up(trx, dialect) {
    await sql`alter table inbox add column installation bigint`.execute(trx);
    // SQLite would read each row of a backlog to leave it out, with its body. PostgreSQL keeps large bodies apart, and reads the
    // row also if the index has the column.
    if (dialect === 'postgres') return;
    await sql`drop index inbox_due`.execute(trx);
    await sql`create index inbox_due on inbox (due_ms, seq, installation) where state in ('waiting', 'busy')`.execute(
      trx,
    );
  },
};
