import type { Effect } from '../../core/contracts/effect.ts';
import type { Timers } from '../../core/ports/hosted-store.ts';
import type { Database } from './database.ts';
import type { Trx } from './tables.ts';

export function createTimers({ db, now }: Database): Timers {
  return {
    async due(limit) {
      return db
        .selectFrom('timers')
        .select(['run', 'timer', 'at'])
        .where('at_ms', '<=', now)
        .orderBy('at_ms')
        .limit(limit)
        .execute();
    },
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
