import { type Selectable, sql } from 'kysely';
import type { Effect } from '../../core/contracts/effect.ts';
import type { Dispatch, DispatchChange, Dispatches } from '../../core/ports/dispatches.ts';
import { type Database, PARAMETER } from './database.ts';
import type { DispatchesTable, Trx } from './tables.ts';
import { fromMs, toMs } from './times.ts';

export function createDispatches({ db, prepare }: Database): Dispatches {
  const dispatches = db.selectFrom('dispatches').selectAll();
  const newest = dispatches.orderBy('seq', 'desc').limit(1);
  const find = prepare(newest.where('op', '=', PARAMETER));
  const findOfJob = prepare(
    newest.where('run', '=', PARAMETER).where('job', '=', PARAMETER).where('kind', '=', PARAMETER),
  );
  const findOpen = prepare(
    dispatches.where('run', '=', PARAMETER).where('ended_ms', 'is', null).orderBy('seq'),
  );
  const findAtWork = prepare(
    db
      .selectFrom('runs')
      .innerJoin('dispatches', 'dispatches.run', 'runs.run')
      .select('runs.run')
      .distinct()
      .where('runs.phase', '=', PARAMETER)
      // Said again for SQLite's planner, whose index of phases leaves out ended runs.
      .where('runs.phase', '<>', sql.lit('ended'))
      .where('dispatches.ended_ms', 'is', null)
      .where('dispatches.working_ms', 'is not', null),
  );
  const findClaimed = prepare(newest.where('run', '=', PARAMETER).where('claimed_ms', 'is not', null));
  const findOfRun = prepare(dispatches.where('run', '=', PARAMETER).orderBy('seq', 'desc').limit(PARAMETER));
  const findStarted = prepare(newest.where('actions_run', '=', PARAMETER));
  const first = ([row]: Selectable<DispatchesTable>[]) => row && toDispatch(row);
  return {
    find: async (op) => first(await find(op)),
    ofJob: async (run, job, kind) => first(await findOfJob(run, job, kind)),
    open: async (run) => (await findOpen(run)).map(toDispatch),
    atWork: async (phase) => (await findAtWork(phase)).map(({ run }) => run),
    newestClaimed: async (run) => first(await findClaimed(run)),
    ofRun: async (run, limit) => (await findOfRun(run, limit)).map(toDispatch),
    ofActionsRun: async (id) => first(await findStarted(id)),
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
    stopping_at: fromMs(row.stopping_ms),
    ended_at: fromMs(row.ended_ms),
    outcome: row.outcome ?? undefined,
  };
}

/** An undefined value leaves the column as it is, except for the work and the silence, which then end. */
function toColumns(change: DispatchChange) {
  const ms = (at: string | undefined) => (at === undefined ? undefined : toMs(at));
  return {
    requested_ms: ms(change.requested_at),
    answered_ms: ms(change.answered_at),
    actions_run: change.actions_run,
    attempt: change.attempt,
    claimed_ms: ms(change.claimed_at),
    ...('working_at' in change && { working_ms: toMs(change.working_at) }),
    heard_ms: ms(change.heard_at),
    ...('silent_at' in change && { silent_ms: toMs(change.silent_at) }),
    stopping_ms: ms(change.stopping_at),
    ended_ms: ms(change.ended_at),
    outcome: change.outcome,
  };
}
