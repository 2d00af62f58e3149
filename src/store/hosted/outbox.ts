import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Effect, Outgoing } from '../../core/contracts/effect.ts';
import { laneOrder, URGENT, WORDS_ABOUT_WORK } from '../../core/decide/lane-order.ts';
import {
  ASKED_TO_WAIT,
  type ClaimedLane,
  type LaneChoice,
  type LaneLease,
  type Outbox,
} from '../../core/ports/outbox.ts';
import { isLostRace } from '../unavailable.ts';
import { type Database, PARAMETER } from './database.ts';
import { notOfInstallations, shortenError } from './queue.ts';
import type { Trx } from './tables.ts';
import { TASK } from './task-leases.ts';
import { fromMs } from './times.ts';

const TRIES = 8;
/** So many lanes with an urgent effect are chosen in a row. Then the others have a turn, so that none of them starves. */
const MOST_URGENT_IN_A_ROW = 3;

interface DueRow {
  id: string;
  run: string | null;
  body: Uint8Array;
  attempts: number;
  error: string | null;
}

export function createOutbox({ db, dialect, prepare, transaction, now }: Database): Outbox {
  const forUpdate = dialect === 'postgres' ? sql`for update` : sql``;

  /** No older effect of the same slot waits, except words that failed: they wait for their retry and hold up nothing. */
  const leadsItsSlot = sql`not exists (
    select 1 from outbox as older
    where older.lane = one.lane and older.slot = one.slot and older.state = 'waiting' and older.seq < one.seq
      and (older.error is null or older.kind not in (${sql.join(WORDS_ABOUT_WORK.map((kind) => sql.lit(kind)))})))`;

  const longestDue = (which: RawBuilder<unknown>) =>
    prepare<{ lane: string; installation: number | null }>(sql`
      select one.lane, one.installation from outbox as one
      where one.state = 'waiting' ${which} and one.due_ms <= ${now} and ${leadsItsSlot}
        and not exists (select 1 from lanes where lanes.lane = one.lane and lanes.until_ms > ${now})
      order by one.due_ms, one.seq
      limit 1`);
  // The index has the rank as a literal.
  const urgentLane = longestDue(sql`and one.rank = ${sql.lit(URGENT)}`);
  /** One query for each number of installations that are left out. */
  const dueLanes: ReturnType<typeof longestDue>[] = [];
  const dueLane = async (full: readonly number[]) => {
    dueLanes[full.length] ??= longestDue(notOfInstallations(full.length));
    return dueLanes[full.length]?.(...full) ?? [];
  };

  let urgentInARow = 0;
  /** R-9: a stop or a dispatch also overtakes the lanes of other issues. */
  const findLane = async ({ full = [], onlyUrgent = false }: LaneChoice) => {
    if (onlyUrgent) return (await urgentLane())[0];
    const [urgent] = urgentInARow < MOST_URGENT_IN_A_ROW ? await urgentLane() : [];
    urgentInARow = urgent ? urgentInARow + 1 : 0;
    return urgent ?? (await dueLane(full))[0];
  };

  const takeLane = prepare(sql`
    insert into lanes (lane, fence, until_ms) values (${PARAMETER}, ${PARAMETER}, ${now} + ${PARAMETER})
    on conflict (lane) do update set fence = excluded.fence, until_ms = excluded.until_ms
      where lanes.until_ms <= ${now}
    returning lane`);

  const leaseLane = async (
    leaseMs: number,
    choice: LaneChoice,
  ): Promise<ClaimedLane | 'lost' | undefined> => {
    const found = await findLane(choice);
    if (!found) return undefined;
    const { lane, installation } = found;
    const fence = randomUUID();
    // Several workers may have found the lane free; one gets it.
    if ((await takeLane(lane, fence, leaseMs)).length === 0) return 'lost';
    return { lane, fence, ...(installation !== null && { installation }) };
  };

  /** Locks the lease, so that nobody takes the lane over within the transaction. */
  const lockLease = prepare(sql`
    select 1 from lanes where lane = ${PARAMETER} and fence = ${PARAMETER} and until_ms > ${now} ${forUpdate}`);
  const isHeld = async (trx: Trx, { lane, fence }: LaneLease): Promise<boolean> =>
    (await lockLease.within(trx, lane, fence)).length > 0;

  const firstDue = (which: RawBuilder<unknown>) =>
    prepare<DueRow>(sql`
      update outbox set attempts = attempts + 1, claimed_ms = ${now}
      where seq = (
        select one.seq from outbox as one
        where one.lane = ${PARAMETER} and one.state = 'waiting' ${which} and one.due_ms <= ${now} and ${leadsItsSlot}
        order by one.rank, one.seq
        limit 1)
      returning id, run, body, attempts, error`);
  const takeNext = firstDue(sql``);
  const takeUrgent = firstDue(sql`and one.rank = ${sql.lit(URGENT)}`);

  /** A newer effect of the slot came during the attempt, so that it could not bring the next one forward. */
  const hasNewer = sql`exists (
    select 1 from outbox as newer
    where newer.lane = outbox.lane and newer.slot = outbox.slot and newer.state = 'waiting'
      and newer.seq > outbox.seq and newer.put_ms > outbox.claimed_ms)`;

  const remove = prepare(
    sql`delete from outbox where id = ${PARAMETER} and lane = ${PARAMETER} and state = 'waiting'`,
  );

  const findBuried = prepare<{ id: string }>(sql`
    select id from outbox
    where state = 'buried' and installation = ${PARAMETER} order by seq desc limit ${PARAMETER}`);

  const findWaiting = prepare<{ body: Uint8Array }>(
    sql`select body from outbox where lane = ${PARAMETER} and run = ${PARAMETER} and state = 'waiting' order by seq`,
  );

  /** True if the lease is held, also if a newer effect replaced this one while it was performed. */
  const changeHeld = (lease: LaneLease, change: (trx: Trx) => Promise<unknown>): Promise<boolean> =>
    transaction(async (trx) => {
      if (!(await isHeld(trx, lease))) return false;
      await change(trx);
      return true;
    });

  return {
    async claim(leaseMs, choice = {}) {
      for (let attempt = 1; attempt <= TRIES; attempt += 1) {
        try {
          const leased = await leaseLane(leaseMs, choice);
          if (leased !== 'lost') return leased;
        } catch (error) {
          if (!isLostRace(error) || attempt === TRIES) throw error;
        }
      }
      return undefined;
    },
    async renew({ lane, fence }, leaseMs) {
      const { rows } = await sql`
        update lanes set until_ms = ${now} + ${sql.lit(leaseMs)}
        where lane = ${lane} and fence = ${fence} and until_ms > ${now}
        returning lane`.execute(db);
      return rows.length > 0;
    },
    async release({ lane, fence }) {
      await db.deleteFrom('lanes').where('lane', '=', lane).where('fence', '=', fence).execute();
    },
    async next(lease, onlyUrgent = false) {
      return transaction(async (trx) => {
        if (!(await isHeld(trx, lease))) return undefined;
        const [row] = await (onlyUrgent ? takeUrgent : takeNext).within(trx, lease.lane);
        if (!row) return undefined;
        const effect = readEffect(row.body);
        return {
          id: row.id,
          lane: lease.lane,
          run: row.run ?? undefined,
          effect,
          attempts: row.attempts,
          last_error: row.error ?? undefined,
        };
      });
    },
    done: (lease, id) => changeHeld(lease, (trx) => remove.within(trx, id, lease.lane)),
    retry: (lease, id, waitMs, error) =>
      changeHeld(lease, (trx) => {
        const wait = sql.lit(Math.ceil(waitMs));
        return sql`update outbox set
            due_ms = ${now} + ${isShortened(error) ? sql`case when ${hasNewer} then 0 else ${wait} end` : wait},
            error = ${error === undefined ? null : shortenError(error)},
            attempts = attempts - ${sql.lit(error === undefined ? 1 : 0)}
          where id = ${id} and lane = ${lease.lane} and state = 'waiting'`.execute(trx);
      }),
    bury: (lease, id, error) =>
      changeHeld(lease, (trx) =>
        sql`update outbox set state = 'buried', error = ${shortenError(error)}
          where id = ${id} and lane = ${lease.lane} and state = 'waiting'`.execute(trx),
      ),
    async buried(limit) {
      const rows = await db
        .selectFrom('outbox')
        .select(['id', 'run', 'error', 'claimed_ms'])
        .where('state', '=', sql.lit('buried'))
        .orderBy('seq', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ id, run, error, claimed_ms }) => ({
        id,
        run: run ?? undefined,
        error: error ?? '',
        at: fromMs(claimed_ms ?? 0),
      }));
    },
    async buriedOf(installation, limit) {
      const rows = await findBuried(installation, limit);
      return rows.map(({ id }) => id);
    },
    async waiting(lane, run) {
      const rows = await findWaiting(lane, run);
      return rows.map(({ body }) => readEffect(body));
    },
    async revive(id) {
      return transaction(async (trx, announce) => {
        const { rows } = await sql`
          update outbox set state = 'waiting', due_ms = ${now}, attempts = 0
          where id = ${id} and state = 'buried' returning id`.execute(trx);
        if (rows.length > 0) announce('outbox');
        return rows.length > 0;
      });
    },
    async retryIn() {
      const { rows } = await sql<{ ms: number | null }>`
        select min(due_ms) - ${now} as ms from outbox where state = 'waiting' and error is not null`.execute(
        db,
      );
      const ms = rows[0]?.ms ?? null;
      return ms === null ? undefined : Math.max(0, Number(ms));
    },
    async size() {
      const count = async (query: ReturnType<typeof sql<{ rows: number }>>) =>
        Number((await query.execute(db)).rows[0]?.rows ?? 0);
      return {
        waiting: await count(sql`select count(*) as rows from outbox where state = 'waiting'`),
        busy: await count(
          sql`select count(*) as rows from lanes where until_ms > ${now} and lane not like ${`${TASK}%`}`,
        ),
        buried: await count(sql`select count(*) as rows from outbox where state = 'buried'`),
      };
    },
  };
}

/** Whether a newer effect of the slot makes the wait shorter. It does not where GitHub asked for it, or nothing failed. */
function isShortened(error: string | undefined): boolean {
  return error !== undefined && !error.startsWith(ASKED_TO_WAIT);
}

function readEffect(body: Uint8Array): Outgoing {
  return JSON.parse(Buffer.from(body).toString('utf8')) as Outgoing;
}

interface PutEffects {
  lane: string;
  installation: number | undefined;
  run: string | undefined;
  /** Effects get the ids `<prefix>.<index>`. */
  prefix: string;
  effects: readonly (Effect | Outgoing)[];
  now: Database['now'];
}

/** Returns the number of effects to perform. Timers are kept by the store itself. */
export async function putEffects(
  trx: Trx,
  { lane, installation, run, prefix, effects, now }: PutEffects,
): Promise<number> {
  const outgoing = effects.flatMap((effect, index) =>
    effect.type === 'set_timer' || effect.type === 'clear_timer'
      ? []
      : [{ effect, id: `${prefix}.${index}` }],
  );
  for (const { effect, id } of outgoing) {
    const { slot, rank, replaces } = laneOrder(effect, run ?? lane, id);
    if (replaces)
      await trx
        .deleteFrom('outbox')
        .where('lane', '=', lane)
        .where('slot', '=', slot)
        .where('state', '=', sql.lit('waiting'))
        .execute();
    // R-10: it waits for those before it, and the back-off of an outage that is over would be its own. They count as new.
    else
      await sql`
        update outbox set due_ms = ${now}, attempts = 0
        where lane = ${lane} and slot = ${slot} and state = 'waiting' and due_ms > ${now}
          and error not like ${sql.lit(`${ASKED_TO_WAIT}%`)}`.execute(trx);
    await trx
      .insertInto('outbox')
      .values({
        id,
        lane,
        installation: installation ?? null,
        run: run ?? null,
        slot,
        rank,
        kind: effect.type,
        body: Buffer.from(JSON.stringify(effect)),
        put_ms: now,
        // Lanes are chosen by it, so that an effect to retry has its turn among newer ones.
        due_ms: now,
      })
      .execute();
  }
  return outgoing.length;
}
