import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/** Finds the lanes with an urgent effect, however many others wait. */
export const urgentEffects: Migration = {
  name: '0008-urgent-effects',
  async up(trx) {
    await sql`create index outbox_urgent on outbox (due_ms, seq) where state = 'waiting' and rank = 0`.execute(
      trx,
    );
  },
};
