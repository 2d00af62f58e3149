import type { Effect } from '../../core/contracts/effect.ts';
import type { Outbox, OutgoingEffect } from '../../core/ports/hosted-ports.ts';
import type { Database } from './database.ts';
import { createQueue } from './queue.ts';
import type { Trx } from './tables.ts';

/** Effects to be done in the world: put in with the events they follow from, one lane per run. */
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

/** Gives back how many there were to do. Timers are the store's own affair. */
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
