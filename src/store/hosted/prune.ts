import { sql } from 'kysely';
import type { Database } from './database.ts';

const ROWS_AT_ONCE = 5_000;

/** Deletes records that only a run under way needs. The run, its journal, its comments and its publication stay. */
export async function prune({ db, now }: Database, olderThanMs: number): Promise<number> {
  const before = sql<number>`${now} - ${sql.lit(olderThanMs)}`;
  const ended = sql`not exists (select 1 from runs where runs.run = one.run and runs.phase <> 'ended')`;
  const deletions = [
    sql`delete from seen where key in (
      select one.key from seen as one where one.at_ms < ${before} and ${ended} limit ${sql.lit(ROWS_AT_ONCE)})`,
    sql`delete from tokens where hash in (
      select one.hash from tokens as one
      where not exists (select 1 from dispatches where dispatches.op = one.op and dispatches.decided_ms >= ${before})
        and ${ended} limit ${sql.lit(ROWS_AT_ONCE)})`,
    sql`delete from tickets where hash in (
      select one.hash from tickets as one where one.expires_ms < ${before} and ${ended}
      limit ${sql.lit(ROWS_AT_ONCE)})`,
    sql`delete from dispatches where seq in (
      select one.seq from dispatches as one where one.decided_ms < ${before} and ${ended}
      limit ${sql.lit(ROWS_AT_ONCE)})`,
    sql`delete from cursors where at_ms < ${before}`,
    sql`delete from sessions where until_ms < ${now}`,
    // Left by desks that crashed.
    sql`delete from lanes where until_ms < ${before}`,
  ];
  let deleted = 0n;
  for (const deletion of deletions) deleted += (await deletion.execute(db)).numAffectedRows ?? 0n;
  return Number(deleted);
}
