import type { Cursors, CursorValues } from '../../core/ports/cursors.ts';
import { type Database, PARAMETER } from './database.ts';

export function createCursors({ db, prepare, now }: Database): Cursors {
  const find = prepare(
    db.selectFrom('cursors').select('body').where('name', '=', PARAMETER).where('key', '=', PARAMETER),
  );
  return {
    async get<Name extends keyof CursorValues>(name: Name, of: string) {
      const [row] = await find(name, of);
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
