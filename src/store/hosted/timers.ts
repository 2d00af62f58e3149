import { sql } from 'kysely';
import type { Effect } from '../../core/contracts/effect.ts';
import type { Timers } from '../../core/ports/hosted-store.ts';
import { type Database, PARAMETER } from './database.ts';
import type { Trx } from './tables.ts';

export function createTimers({ db, prepare, now }: Database): Timers {
  return {
    due: prepare(
      sql`select run, timer, at from timers where at_ms <= ${now} order by at_ms limit ${PARAMETER}`,
    ),
    async done(run, timer, at) {
      // Keeps a timer that was set again meanwhile.
      await db
        .deleteFrom('timers')
        .where('run', '=', run)
        .where('timer', '=', timer)
        .where('at_ms', '=', Date.parse(at))
        .execute();
    },
  };
}

export async function setTimers(trx: Trx, run: string, effects: Effect[]): Promise<void> {
  for (const effect of effects) {
    if (effect.type === 'set_timer') {
      const { timer, at } = effect;
      const time = { at, at_ms: Date.parse(at) };
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
