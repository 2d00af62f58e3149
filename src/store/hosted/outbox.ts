import type { Effect } from '../../core/contracts/effect.ts';
import type { Outbox, OutgoingEffect } from '../../core/ports/outbox.ts';
import type { Database } from './database.ts';
import { createQueue } from './queue.ts';
import type { Trx } from './tables.ts';

/** Effects to be performed. They are stored with the events that caused them, with one lane per run. */
export function createOutbox(database: Database): Outbox {
  return createQueue<OutgoingEffect>(database, 'outbox', {
    keepsIds: false,
    read: ({ id, lane, body }) => ({
      id,
      run: lane,
      effect: JSON.parse(Buffer.from(body).toString('utf8')) as Effect,
    }),
  });
}

/** Returns the number of effects for the outbox. Timers are not among them, because the store itself sets them. */
export async function putEffects(
  trx: Trx,
  { run, version, effects }: { run: string; version: number; effects: Effect[] },
): Promise<number> {
  const rows = effects.flatMap((effect, index) =>
    effect.type === 'set_timer' || effect.type === 'clear_timer'
      ? []
      : [
          {
            id: `${run}.${version}.${index}`,
            lane: run,
            kind: effect.type,
            body: Buffer.from(JSON.stringify(effect)),
            put_ms: 0,
          },
        ],
  );
  if (rows.length > 0) await trx.insertInto('outbox').values(rows).execute();
  return rows.length;
}
