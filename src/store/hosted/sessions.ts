import { sql } from 'kysely';
import type { Sessions } from '../../core/ports/sessions.ts';
import type { Database } from './database.ts';

/** Cookies of one session share its `family`, so that signing out ends all of them. */
export function createSessions({ db, now, transaction }: Database): Sessions {
  const after = (ms: number) => sql<number>`${now} + ${sql.lit(ms)}`;
  return {
    async add({ hash, login, ttlMs }) {
      await db
        .insertInto('sessions')
        .values({ hash, family: hash, login, made_ms: now, until_ms: after(ttlMs) })
        .execute();
    },
    async find(hash) {
      return db
        .selectFrom('sessions')
        .select(['login', sql<number>`${now} - made_ms`.as('age_ms')])
        .where('hash', '=', hash)
        .where('until_ms', '>', now)
        .executeTakeFirst();
    },
    async rotate(hash, next) {
      await transaction(async (trx) => {
        const old = await trx
          .selectFrom('sessions')
          .select(['family', 'login'])
          .where('hash', '=', hash)
          .where('until_ms', '>', now)
          .executeTakeFirst();
        if (!old) return;
        await trx
          .insertInto('sessions')
          .values({ hash: next.hash, ...old, made_ms: now, until_ms: after(next.ttlMs) })
          .execute();
        await trx
          .updateTable('sessions')
          .set({ until_ms: after(next.graceMs) })
          .where('hash', '=', hash)
          .execute();
      });
    },
    async end(hash) {
      await db
        .deleteFrom('sessions')
        .where('family', 'in', (query) =>
          query.selectFrom('sessions as own').select('own.family').where('own.hash', '=', hash),
        )
        .execute();
    },
  };
}
