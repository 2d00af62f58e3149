import type { Cursors, CursorValues } from '../../core/ports/cursors.ts';
import type { Database } from './database.ts';

export function createCursors({ db, now }: Database): Cursors {
  return {
    async get<Name extends keyof CursorValues>(name: Name, of: string) {
      const row = await db
        .selectFrom('cursors')
        .select('body')
        .where('name', '=', name)
        .where('key', '=', of)
        .executeTakeFirst();
      return row && (JSON.parse(row.body) as CursorValues[Name]);
    },
    async set(name, of, value) {
      const body = JSON.stringify(value);
      await db
        .insertInto('cursors')
        .values({ name, key: of, body, at_ms: now })
        .onConflict((conflict) => conflict.columns(['name', 'key']).doUpdateSet({ body, at_ms: now }))
        .execute();
    },
  };
}
