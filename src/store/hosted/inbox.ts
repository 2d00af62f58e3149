import { sql } from 'kysely';
import type { Delivery, Inbox } from '../../core/ports/inbox.ts';
import type { Sealer } from '../seal.ts';
import type { Database } from './database.ts';
import { chooseInsert } from './insert-deliveries.ts';
import { createQueue } from './queue.ts';
import type { Trx } from './tables.ts';

/** Far below the limit of parameters in either database. */
const IDS_AT_ONCE = 500;
const HOUR_MS = 3_600_000;
/** GitHub redelivers webhooks that are up to three days old. */
const KEEP_IDS_MS = 7 * 24 * HOUR_MS;
const PRUNED_AT_ONCE = 10_000;
/** Limits the payloads in memory. */
const READ_AT_ONCE = 20;

/** Webhooks are stored here before they are acknowledged. */
export function createInbox(database: Database, sealer: Sealer): Inbox {
  const { db, append, now } = database;
  let prunedAtMs = 0;

  const insert = chooseInsert(database.dialect);
  const toRow = ({ id, event, payload, lane, received_ms, installation }: Delivery) => ({
    id,
    lane,
    kind: event,
    body: encode(id, payload, sealer),
    put_ms: received_ms,
    installation: installation ?? null,
  });

  const queue = createQueue<Delivery>(database, 'inbox', {
    read: ({ id, lane, kind, body, put_ms, installation }) => ({
      id,
      event: kind,
      payload: decode(id, body, sealer),
      lane,
      received_ms: put_ms,
      ...(installation !== null && { installation }),
    }),
  });

  return {
    ...queue,
    async put(deliveries) {
      if (deliveries.length === 0) return [];
      const newestMs = Math.max(...deliveries.map(({ received_ms }) => received_ms));
      const prunes = newestMs - prunedAtMs > HOUR_MS;
      const rows = deliveries.map(toRow);
      const fresh = await append(async (trx, announce) => {
        const inserted = await insert(trx, rows, now);
        if (prunes) await prune(trx, newestMs - KEEP_IDS_MS);
        if (inserted.includes(true)) announce('inbox');
        return inserted;
      });
      if (prunes) prunedAtMs = newestMs;
      return fresh.map((is) => (is ? 'fresh' : 'duplicate'));
    },
    async known(ids) {
      const found = new Set<string>();
      for (let start = 0; start < ids.length; start += IDS_AT_ONCE) {
        const some = ids.slice(start, start + IDS_AT_ONCE);
        const rows = await db.selectFrom('inbox').select('id').where('id', 'in', some).execute();
        for (const { id } of rows) found.add(id);
      }
      return found;
    },
    async buriedOf(installation, limit) {
      const found: string[] = [];
      let before = Number.MAX_SAFE_INTEGER;
      // Rows of older versions name it in the payload alone, which may be sealed. Old ones are deleted, so there is an end.
      while (found.length < limit) {
        const rows = await db
          .selectFrom('inbox')
          .select(['seq', 'id', 'body'])
          .where('state', '=', sql.lit('buried'))
          .where((is) => is.or([is('installation', '=', installation), is('installation', 'is', null)]))
          .where('seq', '<', before)
          .orderBy('seq', 'desc')
          .limit(READ_AT_ONCE)
          .execute();
        for (const row of rows) if (installationOf(row, sealer) === installation) found.push(row.id);
        if (rows.length < READ_AT_ONCE) break;
        before = rows.at(-1)?.seq ?? 0;
      }
      return found.slice(0, limit);
    },
  };
}

function installationOf({ id, body }: { id: string; body: Uint8Array }, sealer: Sealer): unknown {
  try {
    const payload: unknown = JSON.parse(decode(id, body, sealer));
    return (payload as { installation?: { id?: unknown } } | null)?.installation?.id;
  } catch {
    // An unreadable payload may be the reason why it was buried.
    return undefined;
  }
}

const PLAIN = 0;
/** The first byte of a JSON object. No sealed payload begins with it, so it marks an unsealed one. */
const BRACE = 0x7b;
/** Payloads with this word may contain a secret value. Sealing all of them would cost a third of the throughput. */
const MAY_CARRY_A_VALUE = /provide/i;

function encode(id: string, payload: string, sealer: Sealer): Uint8Array {
  const bytes = Buffer.from(payload);
  if (MAY_CARRY_A_VALUE.test(payload)) return sealer.seal(bytes, contextOf(id));
  return bytes[0] === BRACE ? bytes : Buffer.concat([Buffer.of(PLAIN), bytes]);
}

function decode(id: string, body: Uint8Array, sealer: Sealer): string {
  const bytes = asBuffer(body);
  if (bytes[0] === BRACE) return bytes.toString('utf8');
  const plain = bytes[0] === PLAIN ? bytes.subarray(1) : sealer.open(bytes, contextOf(id));
  return plain.toString('utf8');
}

function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
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
