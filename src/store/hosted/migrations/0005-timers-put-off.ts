import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/** A timer that fails is put off, and given up after some attempts. The time it was set to stays its idempotency key. */
export const timersPutOff: Migration = {
  name: '0005-timers-put-off',
  async up(trx) {
    // Null if it was given up.
    await sql`alter table timers add column due_ms bigint`.execute(trx);
    await sql`alter table timers add column attempts integer not null default 0`.execute(trx);
    await sql`update timers set due_ms = at_ms`.execute(trx);
    await sql`drop index timers_due`.execute(trx);
    await sql`create index timers_due on timers (due_ms)`.execute(trx);
  },
};
