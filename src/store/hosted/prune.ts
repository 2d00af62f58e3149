import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';
import { pruneCursors } from './prune-cursors.ts';

const ROWS_AT_ONCE = 5_000;
const DAY_MS = 24 * 3_600_000;
/**
 * Work that came too late for its pull request is put aside after the end of its run, also after somebody has restored the App's
 * access. So the blobs of a run stay as long as effects that were given up.
 */
const BLOBS_KEPT_MS = 30 * DAY_MS;
const BURIED_KEPT_MS = 30 * DAY_MS;
/** A blob may have 100 MB. */
const BLOBS_AT_ONCE = 100;

/**
 * Deletes what runs needed that ended long ago, some at a time. The run, its journal and the number of its pull request stay,
 * because the pages show them and a command there is answered. A run at rest has not ended.
 */
export async function prune(database: Database, olderThanMs: number): Promise<number> {
  const { db, now } = database;
  const ago = (ms: number) => sql<number>`${now} - ${sql.lit(ms)}`;
  const before = ago(olderThanMs);
  /** The run may still answer, or did so until lately. */
  const isAtWork = sql`(runs.ended_ms is null or runs.ended_ms > ${before})`;
  const isOver = (run: RawBuilder<string>) =>
    sql`not exists (select 1 from runs where runs.run = ${run} and ${isAtWork})`;
  const over = isOver(sql`one.run`);
  const ofIssueOver = sql`not exists (
    select 1 from runs where runs.repo_id = one.repo_id and runs.issue = one.issue and ${isAtWork})`;
  const some = sql`limit ${sql.lit(ROWS_AT_ONCE)}`;
  const deletions = [
    sql`delete from seen where key in (
      select one.key from seen as one
      where one.at_ms < ${before} and (one.run <> '' or one.repo_id is not null) and ${over} and ${ofIssueOver} ${some})`,
    sql`delete from tokens where hash in (
      select one.hash from tokens as one
      where not exists (select 1 from dispatches where dispatches.op = one.op and dispatches.decided_ms >= ${before})
        and ${over} ${some})`,
    sql`delete from tickets where hash in (
      select one.hash from tickets as one where one.expires_ms < ${before} and ${over} ${some})`,
    sql`delete from dispatches where seq in (
      select one.seq from dispatches as one where one.decided_ms < ${before} and ${over} ${some})`,
    ...pruneCursors(before, isOver, some),
    // A notice on an issue without a run is never written again.
    sql`delete from sent_comments where seq in (
      select one.seq from sent_comments as one
      where (one.run is not null or one.tried_ms < ${before}) and ${over} ${some})`,
    sql`delete from labellings where run in (select one.run from labellings as one where ${over} ${some})`,
    sql`delete from own_commits where seq in (
      select one.seq from own_commits as one where ${ofIssueOver} ${some})`,
    // The condition on the body is that of the index.
    sql`delete from publications where run in (
      select one.run from publications as one where one.body <> '{}' and one.pull is null and ${over} ${some})`,
    sql`update publications set body = '{}' where run in (
      select one.run from publications as one where one.body <> '{}' and ${over} ${some})`,
    sql`delete from sessions where until_ms < ${now}`,
    // Left by desks that crashed.
    sql`delete from lanes where until_ms < ${before}`,
    // A timer that is still there failed each time, and is of use to nobody any more.
    sql`delete from timers where (run, timer) in (
      select one.run, one.timer from timers as one
      where one.at_ms < ${before} and ${over} ${some})`,
    ...['inbox', 'outbox'].map((name) => {
      const queue = sql.table(name);
      return sql`delete from ${queue} where seq in (
        select seq from ${queue} where state = 'buried' and claimed_ms < ${ago(BURIED_KEPT_MS)} ${some})`;
    }),
  ];
  let deleted = 0n;
  for (const deletion of deletions) deleted += (await deletion.execute(db)).numAffectedRows ?? 0n;
  return Number(deleted) + (await pruneBlobs(database));
}

/** One by one, so that others can write in between. */
async function pruneBlobs({ db, now }: Database): Promise<number> {
  const { rows } = await sql<{ run: string; name: string }>`
    select one.run, one.name from blobs as one inner join runs on runs.run = one.run
    where runs.ended_ms < ${now} - ${sql.lit(BLOBS_KEPT_MS)} limit ${sql.lit(BLOBS_AT_ONCE)}`.execute(db);
  for (const { run, name } of rows)
    await db.deleteFrom('blobs').where('run', '=', run).where('name', '=', name).execute();
  return rows.length;
}
