import type { HostedStore } from '../../core/ports/hosted-store.ts';
import type { Database } from './database.ts';

export function createMarks({ db }: Database): HostedStore['marks'] {
  return {
    async set(key, value) {
      await db
        .insertInto('marks')
        .values({ key, value })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
        .execute();
    },
    async get(key) {
      const row = await db.selectFrom('marks').select('value').where('key', '=', key).executeTakeFirst();
      return row?.value;
    },
  };
}
