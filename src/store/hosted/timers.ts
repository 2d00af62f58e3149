import { sql } from 'kysely';
import type { Effect } from '../../core/contracts/effect.ts';
import type { Timers } from '../../core/ports/hosted-store.ts';
import { type Database, PARAMETER } from './database.ts';
import type { Trx } from './tables.ts';

export function createTimers({ db, prepare, now }: Database): Timers {
  return {
    due: prepare(sql`
      select run, timer, at, attempts from timers where due_ms <= ${now} order by due_ms limit ${PARAMETER}`),
    async done({ run, timer, at }) {
      await db
        .deleteFrom('timers')
        .where('run', '=', run)
        .where('timer', '=', timer)
        .where('at_ms', '=', Date.parse(at))
        .execute();
    },
    async retry({ run, timer, at }, waitMs) {
      // A timer that was set again meanwhile is left alone.
      await sql`update timers set due_ms = ${now} + ${sql.lit(Math.ceil(waitMs))}, attempts = attempts + 1
        where run = ${run} and timer = ${timer} and at_ms = ${Date.parse(at)}`.execute(db);
    },
    async reviveAll() {
      // Older versions stored no time for a timer that they had given up.
      await sql`update timers set due_ms = ${now}, attempts = 0
        where due_ms is null or attempts > 0`.execute(db);
    },
  };
}

export async function setTimers(trx: Trx, run: string, effects: Effect[]): Promise<void> {
  for (const effect of effects) {
    if (effect.type === 'set_timer') {
      const { timer, at } = effect;
      const time = { at, at_ms: Date.parse(at), due_ms: Date.parse(at), attempts: 0 };
      await trx
        .insertInto('timers')
        .values({ run, timer, ...time })
        .onConflict((conflict) => conflict.columns(['run', 'timer']).doUpdateSet(time))
        .execute();
    }
    if (effect.type === 'clear_timer') {
      await trx.deleteFrom('timers').where('run', '=', run).where('timer', '=', effect.timer).execute();
    }
  }
}
