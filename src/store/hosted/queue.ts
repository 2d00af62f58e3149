import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Leased, Queue } from '../../core/ports/inbox.ts';
import { isLostRace } from '../unavailable.ts';
import { type Database, PARAMETER } from './database.ts';

interface QueueRow {
  id: string;
  lane: string;
  kind: string;
  body: Uint8Array;
  put_ms: number;
  error: string | null;
  installation: number | null;
}

const MAX_ERROR_LENGTH = 2000;
const TRIES = 8;

/**
 * A queue with ordered lanes. Only the oldest unfinished row of a lane can be claimed, and no other row of the lane while it is
 * busy. Its lease ends at `due_ms`; after that it can be claimed again, with another fence.
 */
export function createQueue<Item extends { id: string }>(
  { db, dialect, prepare, transaction, now }: Database,
  name: 'inbox',
  options: {
    read(row: QueueRow): Item;
  },
): Queue<Item> {
  const table = name;
  const source = sql.table(table);
  const skipLocked = dialect === 'postgres' ? sql`for update skip locked` : sql``;

  // A busy row blocks its lane even if a row with a lower number is added later.
  const firstDue = (which: RawBuilder<unknown>) =>
    prepare<QueueRow & Leased>(sql`
      update ${source}
      set state = 'busy', fence = ${PARAMETER}, attempts = attempts + 1,
        claimed_ms = ${now}, due_ms = ${now} + ${PARAMETER}
      where seq = (
        select one.seq from ${source} as one
        where one.state in ('waiting', 'busy') ${which} and one.due_ms <= ${now}
          and not exists (
            select 1 from ${source} as other
            where other.lane = one.lane and other.state = 'busy' and other.seq <> one.seq)
          and (one.state = 'busy' or not exists (
            select 1 from ${source} as older
            where older.lane = one.lane and older.state = 'waiting' and older.seq < one.seq))
        order by one.due_ms, one.seq
        limit 1
        ${skipLocked})
      returning id, lane, kind, body, put_ms, installation, attempts, error, fence`);
  /** One query for each number of installations that are left out. */
  const claims: ReturnType<typeof firstDue>[] = [];
  const claimRow = async (leaseMs: number, full: readonly number[]) => {
    claims[full.length] ??= firstDue(notOfInstallations(full.length));
    return claims[full.length]?.(randomUUID(), leaseMs, ...full) ?? [];
  };

  const later = (ms: number) => sql<number>`${now} + ${sql.lit(Math.ceil(ms))}`;

  const held = ({ id, fence }: { id: string; fence: string }) =>
    db.updateTable(table).where('id', '=', id).where('state', '=', 'busy').where('fence', '=', fence);

  return {
    async claim(leaseMs, { full = [] } = {}) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          const [row] = await claimRow(leaseMs, full);
          if (!row) return undefined;
          const { attempts, error, fence } = row;
          return { ...options.read(row), attempts, last_error: error ?? undefined, fence };
        } catch (error) {
          // Another worker claimed a row of the lane at the same moment, and the unique index rejected this one.
          if (!isLostRace(error) || attempt === TRIES) throw error;
        }
      }
    },
    async done(item) {
      const left = { state: 'done', body: new Uint8Array(), fence: null, error: null } as const;
      return changed(await held(item).set(left).executeTakeFirst());
    },
    async renew(item, leaseMs) {
      return changed(
        await held(item)
          .set({ due_ms: later(leaseMs) })
          .executeTakeFirst(),
      );
    },
    async retry(item, waitMs, error) {
      const again = {
        state: 'waiting',
        due_ms: later(waitMs),
        fence: null,
        error: shortenError(error),
      } as const;
      return changed(await held(item).set(again).executeTakeFirst());
    },
    async bury(item, error) {
      const buried = { state: 'buried', fence: null, error: shortenError(error) } as const;
      return changed(await held(item).set(buried).executeTakeFirst());
    },
    async buried(limit) {
      const rows = await db
        .selectFrom(table)
        .select(['id', 'error', 'claimed_ms'])
        .where('state', '=', sql.lit('buried'))
        .orderBy('seq', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ id, error, claimed_ms }) => ({
        id,
        error: error ?? '',
        at: new Date(claimed_ms ?? 0).toISOString(),
      }));
    },
    async revive(id) {
      return transaction(async (trx, announce) => {
        const result = await trx
          .updateTable(table)
          .set({ state: 'waiting', due_ms: now, attempts: 0 })
          .where('id', '=', id)
          .where('state', '=', 'buried')
          .executeTakeFirst();
        if (changed(result)) announce(name);
        return changed(result);
      });
    },
    async size() {
      const count = async (state: 'waiting' | 'busy' | 'buried') => {
        const { rows } = await db
          .selectFrom(table)
          .select((of) => of.fn.countAll<number>().as('rows'))
          .where('state', '=', sql.lit(state))
          .executeTakeFirstOrThrow();
        return Number(rows);
      };
      return { waiting: await count('waiting'), busy: await count('busy'), buried: await count('buried') };
    },
  };
}

function changed({ numUpdatedRows }: { numUpdatedRows: bigint }): boolean {
  return numUpdatedRows > 0n;
}

/** The condition by which a query of rows named `one` leaves out so many installations. Each is a parameter. */
export function notOfInstallations(count: number): RawBuilder<unknown> {
  if (count === 0) return sql``;
  const places = sql.join(Array.from({ length: count }, () => PARAMETER));
  return sql`and (one.installation is null or one.installation not in (${places}))`;
}

/** PostgreSQL rejects NUL and lone surrogates. */
export function shortenError(error: string): string {
  return error.slice(0, MAX_ERROR_LENGTH).replaceAll('\0', '').toWellFormed();
}
