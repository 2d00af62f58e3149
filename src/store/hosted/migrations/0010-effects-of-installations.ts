import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/** The installation that writes an effect, so that the backlog of one does not hold up the others. */
export const effectsOfInstallations: Migration = {
  name: '0010-effects-of-installations',
  async up(trx, dialect) {
    await sql`alter table outbox add column installation bigint`.execute(trx);
    const installation =
      dialect === 'postgres'
        ? sql`cast(runs.place::json ->> 'installation_id' as bigint)`
        : sql`json_extract(runs.place, '$.installation_id')`;
    await sql`update outbox set installation = (
      select ${installation} from runs where runs.run = outbox.run)`.execute(trx);
  },
};
