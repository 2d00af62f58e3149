import { sql } from 'kysely';
import type { Delivery, Inbox } from '../core/hosted-ports.ts';
import type { Database } from './database.ts';
import { createQueue } from './queue.ts';
import type { Sealer } from './seal.ts';
import type { Trx } from './tables.ts';

/** Far below what either database takes in one statement. */
const ROWS_AT_ONCE = 500;
const HOUR_MS = 3_600_000;
/** GitHub can deliver again what is up to three days old. */
const KEEP_IDS_MS = 7 * 24 * HOUR_MS;
const PRUNED_AT_ONCE = 10_000;

/** Webhooks, durable before they are answered. */
export function createInbox(database: Database, sealer: Sealer): Inbox {
  const { transaction } = database;
  let prunedAtMs = 0;

  const insert = async (trx: Trx, deliveries: Delivery[]): Promise<string[]> => {
    const rows = deliveries.map(({ id, event, payload, lane, received_at }) => ({
      id,
      lane,
      kind: event,
      body: encode(id, payload, sealer),
      put_ms: Date.parse(received_at),
    }));
    const fresh = await trx
      .insertInto('inbox')
      .values(rows)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .execute();
    return fresh.map(({ id }) => id);
  };

  const queue = createQueue<Delivery>(database, 'inbox', {
    keepsIds: true,
    read: ({ id, lane, kind, body, put_ms }) => ({
      id,
      event: kind,
      payload: decode(id, body, sealer),
      lane,
      received_at: new Date(put_ms).toISOString(),
    }),
  });

  return {
    ...queue,
    async put(deliveries) {
      if (deliveries.length === 0) return [];
      const newestMs = Math.max(...deliveries.map(({ received_at }) => Date.parse(received_at)));
      const prunes = newestMs - prunedAtMs > HOUR_MS;
      const fresh = await transaction(async (trx, tell) => {
        const ids = new Set<string>();
        for (let start = 0; start < deliveries.length; start += ROWS_AT_ONCE) {
          const inserted = await insert(trx, deliveries.slice(start, start + ROWS_AT_ONCE));
          for (const id of inserted) ids.add(id);
        }
        if (prunes) await prune(trx, newestMs - KEEP_IDS_MS);
        if (ids.size > 0) tell('inbox');
        return ids;
      });
      if (prunes) prunedAtMs = newestMs;
      // Of two with one id in the same batch, the second is the duplicate.
      return deliveries.map(({ id }) => (fresh.delete(id) ? 'fresh' : 'duplicate'));
    },
  };
}

const PLAIN = 0;
/** A comment with this word may carry a value that nobody should read. Sealing all of them would cost a third of the throughput. */
const MAY_CARRY_A_VALUE = /provide/i;

function encode(id: string, payload: string, sealer: Sealer): Uint8Array {
  if (MAY_CARRY_A_VALUE.test(payload)) return sealer.seal(Buffer.from(payload), contextOf(id));
  const bytes = Buffer.allocUnsafe(1 + Buffer.byteLength(payload));
  bytes[0] = PLAIN;
  bytes.write(payload, 1);
  return bytes;
}

function decode(id: string, body: Uint8Array, sealer: Sealer): string {
  const plain = body[0] === PLAIN ? Buffer.from(body.subarray(1)) : sealer.open(body, contextOf(id));
  return plain.toString('utf8');
}

function contextOf(id: string): string[] {
  return ['delivery', id];
}

async function prune(trx: Trx, beforeMs: number): Promise<void> {
  await trx
    .deleteFrom('inbox')
    .where('seq', 'in', (of) =>
      of
        .selectFrom('inbox as old')
        .select('old.seq')
        .where('old.state', '=', sql.lit('done'))
        .where('old.put_ms', '<', beforeMs)
        .limit(PRUNED_AT_ONCE),
    )
    .execute();
}
