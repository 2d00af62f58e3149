import type { Selectable } from 'kysely';
import type { Effect } from '../../core/contracts/effect.ts';
import type { Dispatch, DispatchChange, Dispatches } from '../../core/ports/dispatches.ts';
import type { Database } from './database.ts';
import type { DispatchesTable, Trx } from './tables.ts';
import { fromMs, toMs } from './times.ts';

export function createDispatches({ db }: Database): Dispatches {
  const newestFirst = () => db.selectFrom('dispatches').selectAll().orderBy('seq', 'desc').limit(1);
  return {
    async find(op) {
      const row = await newestFirst().where('op', '=', op).executeTakeFirst();
      return row && toDispatch(row);
    },
    async ofJob(run, job, kind) {
      const row = await newestFirst()
        .where('run', '=', run)
        .where('job', '=', job)
        .where('kind', '=', kind)
        .executeTakeFirst();
      return row && toDispatch(row);
    },
    async open(run) {
      const rows = await db
        .selectFrom('dispatches')
        .selectAll()
        .where('run', '=', run)
        .where('ended_ms', 'is', null)
        .orderBy('seq')
        .execute();
      return rows.map(toDispatch);
    },
    async newestClaimed(run) {
      const row = await newestFirst()
        .where('run', '=', run)
        .where('claimed_ms', 'is not', null)
        .executeTakeFirst();
      return row && toDispatch(row);
    },
    async ofActionsRun(id) {
      const row = await newestFirst().where('actions_run', '=', id).executeTakeFirst();
      return row && toDispatch(row);
    },
    async change(op, change) {
      const { numUpdatedRows } = await db
        .updateTable('dispatches')
        // The operation itself, because a change without any column is no statement.
        .set({ op, ...toColumns(change) })
        .where('op', '=', op)
        .$if(change.outcome === undefined, (query) => query.where('ended_ms', 'is', null))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}

/** The records of the jobs that a decision asks for. */
export async function putDispatches(
  trx: Trx,
  { run, version, effects, now }: { run: string; version: number; effects: Effect[]; now: Database['now'] },
): Promise<void> {
  for (const [index, effect] of effects.entries()) {
    if (effect.type !== 'dispatch_job' && effect.type !== 'dispatch_verification') continue;
    // Effects of older versions do not name their job; their performer finds it.
    if (effect.job === undefined) continue;
    await trx
      .insertInto('dispatches')
      .values({
        op: `${run}.${version}.${index}`,
        run,
        job: effect.job,
        kind: effect.type === 'dispatch_job' ? 'build' : 'verify',
        verification: effect.type === 'dispatch_verification' ? effect.verification : undefined,
        decided_ms: now,
      })
      .execute();
  }
}

function toDispatch(row: Selectable<DispatchesTable>): Dispatch {
  return {
    op: row.op,
    run: row.run,
    job: row.job,
    kind: row.kind,
    verification: row.verification ?? undefined,
    decided_at: fromMs(row.decided_ms),
    requested_at: fromMs(row.requested_ms),
    answered_at: fromMs(row.answered_ms),
    actions_run: row.actions_run ?? undefined,
    attempt: row.attempt ?? undefined,
    claimed_at: fromMs(row.claimed_ms),
    working_at: fromMs(row.working_ms),
    heard_at: fromMs(row.heard_ms),
    silent_at: fromMs(row.silent_ms),
    ended_at: fromMs(row.ended_ms),
    outcome: row.outcome ?? undefined,
  };
}

/** An undefined value leaves the column as it is, except for the silence, which then ends. */
function toColumns(change: DispatchChange) {
  const ms = (at: string | undefined) => (at === undefined ? undefined : toMs(at));
  return {
    requested_ms: ms(change.requested_at),
    answered_ms: ms(change.answered_at),
    actions_run: change.actions_run,
    attempt: change.attempt,
    claimed_ms: ms(change.claimed_at),
    working_ms: ms(change.working_at),
    heard_ms: ms(change.heard_at),
    ...('silent_at' in change && { silent_ms: toMs(change.silent_at) }),
    ended_ms: ms(change.ended_at),
    outcome: change.outcome,
  };
}
