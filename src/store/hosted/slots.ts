import { sql } from 'kysely';
import { phaseOf, type RunState } from '../../core/contracts/run-state.ts';
import type { QueuePlace, Slots } from '../../core/ports/slots.ts';
import type { Database } from './database.ts';
import type { Trx } from './tables.ts';

interface Waiting {
  run: string;
  repo_id: number;
  queued_ms: number | null;
  seq: number;
}

/** The column `slot_ms` of a run is the time it got its slot, and `queued_ms` the time it began to wait for one. */
export function createSlots({ db, dialect, transaction, now }: Database): Slots {
  return {
    async take(run, most) {
      const place = await db.selectFrom('runs').select('repo_id').where('run', '=', run).executeTakeFirst();
      const repoId = place?.repo_id;
      // A run without a repository shares its machines with nobody.
      if (repoId == null) return { taken: true, waited: false };
      return transaction(async (trx) => {
        // One desk at a time counts the slots of a repository. SQLite has one writer anyway.
        if (dialect === 'postgres')
          await sql`select pg_advisory_xact_lock(hashtextextended(${`slots of ${repoId}`}, 0))`.execute(trx);
        // Locks the row: the run may be cancelled or paused at this moment, and the commit that does so frees the slot it finds.
        const row = await trx
          .selectFrom('runs')
          .select(['run', 'seq', 'slot_ms', 'queued_ms', 'phase'])
          .where('run', '=', run)
          .$if(dialect === 'postgres', (query) => query.forUpdate())
          .executeTakeFirst();
        if (row?.phase !== 'working') return undefined;
        if (row.slot_ms !== null) return { taken: true, waited: false };
        const { building, position } = await placeOf(trx, { ...row, repo_id: repoId });
        if (building + position > most) {
          if (row.queued_ms === null)
            await trx.updateTable('runs').set({ queued_ms: now }).where('run', '=', run).execute();
          return { taken: false, building, position };
        }
        await trx.updateTable('runs').set({ slot_ms: now, queued_ms: null }).where('run', '=', run).execute();
        return { taken: true, waited: row.queued_ms !== null };
      });
    },
    async queued(run) {
      const row = await db
        .selectFrom('runs')
        .select(['run', 'seq', 'repo_id', 'queued_ms'])
        .where('run', '=', run)
        .executeTakeFirst();
      if (!row || row.queued_ms === null || row.repo_id === null) return undefined;
      return placeOf(db, { ...row, repo_id: row.repo_id });
    },
  };
}

/** A run that is not in the queue yet would be its last. Older versions could leave a slot with a run that has ended. */
async function placeOf(
  db: Trx | Database['db'],
  { run, repo_id, queued_ms, seq }: Waiting,
): Promise<QueuePlace> {
  const ofRepository = () =>
    db
      .selectFrom('runs')
      .where('repo_id', '=', repo_id)
      .where('run', '<>', run)
      .where('phase', '<>', sql.lit('ended'));
  const [slots] = await ofRepository()
    .where('slot_ms', 'is not', null)
    .select(({ fn }) => fn.countAll().as('rows'))
    .execute();
  const [ahead] = await ofRepository()
    .where('queued_ms', 'is not', null)
    .$if(queued_ms !== null, (query) =>
      query.where(({ eb, and, or }) =>
        or([
          eb('queued_ms', '<', queued_ms ?? 0),
          and([eb('queued_ms', '=', queued_ms ?? 0), eb('seq', '<', seq)]),
        ]),
      ),
    )
    .select(({ fn }) => fn.countAll().as('rows'))
    .execute();
  return { building: Number(slots?.rows ?? 0), position: Number(ahead?.rows ?? 0) + 1 };
}

/** Whether the run uses a machine, or will as soon as its job starts. */
export function keepsSlot(state: RunState): boolean {
  return phaseOf(state) === 'working' || state.job_live;
}

/** Runs that wait for a slot try again at once, and so does the dispatch of a run that left the queue. */
export async function wakeQueue(trx: Trx, repoId: number, run: string, now: Database['now']): Promise<void> {
  await sql`update outbox set due_ms = ${now}
    where state = 'waiting' and kind in ('dispatch_job', 'dispatch_verification') and error is null
      and due_ms > ${now}
      and (run = ${run} or run in (select run from runs where repo_id = ${repoId} and queued_ms is not null))`.execute(
    trx,
  );
}
