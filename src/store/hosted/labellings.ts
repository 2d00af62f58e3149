import type { Labelling, Labellings } from '../../core/ports/labellings.ts';
import type { Database } from './database.ts';
import type { Trx } from './tables.ts';

export function createLabellings({ db }: Database): Labellings {
  return {
    async of(run) {
      const row = await db
        .selectFrom('labellings')
        .select(['event', 'at'])
        .where('run', '=', run)
        .executeTakeFirst();
      return row && { event: row.event ?? undefined, at: row.at };
    },
  };
}

export async function putLabelling(trx: Trx, run: string, { event, at }: Labelling): Promise<void> {
  await trx
    .insertInto('labellings')
    .values({ run, event: event ?? null, at })
    .execute();
}
