import { sql } from 'kysely';
import { CLOCKS } from '../database.ts';
import type { Dialect, Migration } from '../migrate.ts';
import type { Trx } from '../tables.ts';
import { convertMarks } from './convert-marks.ts';
import { convertOutbox } from './convert-outbox.ts';
import { convertPhases } from './convert-phases.ts';

/** One lane of effects per issue, and typed records in place of the key-value table `marks`. */
export const lanesAndRecords: Migration = {
  name: '0002-lanes-and-records',
  async up(trx, dialect) {
    const postgres = dialect === 'postgres';
    const counter = sql.raw(
      postgres ? 'bigint generated always as identity primary key' : 'integer primary key autoincrement',
    );
    const small = sql.raw(postgres ? '' : 'without rowid');
    const nowMs = await readClock(trx, dialect);
    const run = async (statement: ReturnType<typeof sql>) => statement.execute(trx);
    await run(sql`alter table runs add column phase text not null default 'working'`);
    await convertPhases(trx);
    await run(sql`drop index runs_active`);
    await run(sql`alter table runs drop column finished`);
    await run(sql`create index runs_of_phase on runs (phase, seq) where phase <> 'ended'`);

    await run(sql`alter table seen add column at_ms bigint not null default 0`);
    await run(sql`update seen set at_ms = ${nowMs}`);
    await run(sql`create index seen_age on seen (at_ms)`);

    await run(sql`create table lanes (
      lane text primary key,
      fence text not null,
      until_ms bigint not null
    ) ${small}`);
    await run(sql`alter table outbox add column run text`);
    await run(sql`alter table outbox add column slot text not null default ''`);
    await run(sql`alter table outbox add column rank integer not null default 1`);
    await run(sql`drop index outbox_busy`);
    await run(sql`drop index outbox_lane`);
    await run(sql`drop index outbox_due`);
    await run(sql`create index outbox_waiting on outbox (due_ms, seq) where state = 'waiting'`);
    await run(sql`create index outbox_slot on outbox (lane, slot, seq) where state = 'waiting'`);
    const unfinished = await convertOutbox(trx);

    await run(sql`create table dispatches (
      seq ${counter},
      op text not null unique,
      run text not null,
      job integer not null,
      kind text not null check (kind in ('build', 'verify')),
      verification text,
      decided_ms bigint not null,
      requested_ms bigint,
      answered_ms bigint,
      actions_run bigint,
      attempt integer,
      claimed_ms bigint,
      working_ms bigint,
      heard_ms bigint,
      silent_ms bigint,
      ended_ms bigint,
      outcome text
    )`);
    await run(sql`create index dispatches_of_run on dispatches (run, job, seq)`);
    await run(sql`create index dispatches_of_actions_run on dispatches (actions_run)`);

    await run(sql`create table publications (
      run text primary key,
      repo_id bigint,
      pull integer,
      body text not null
    )`);
    await run(sql`create index publications_of_pull on publications (repo_id, pull)`);
    await run(sql`create table own_commits (
      seq ${counter},
      repo_id bigint not null,
      issue bigint not null,
      sha text not null,
      unique (repo_id, issue, sha)
    )`);
    await run(sql`create table labellings (run text primary key, event bigint, at text not null)`);
    await run(sql`create table cursors (
      name text not null,
      key text not null,
      body text not null,
      at_ms bigint not null,
      primary key (name, key)
    )`);

    await run(sql`create table sent_comments (
      seq ${counter},
      op text not null unique,
      run text,
      kind text,
      tried_ms bigint not null,
      comment_id bigint,
      node_id text,
      body_hash text,
      escalation text,
      minimised integer not null default 0
    )`);
    await run(sql`create index sent_comments_by_id on sent_comments (comment_id, seq)`);
    await run(sql`create index sent_comments_of_run on sent_comments (run, kind, seq)`);
    await run(sql`insert into sent_comments (op, run, tried_ms, comment_id, node_id, body_hash)
      select op, run, 0, comment_id, node_id, body_hash from comments
      where seq in (select max(seq) from comments group by op) order by seq`);
    await run(sql`drop table comments`);

    await run(sql`alter table tickets add column op text`);
    await run(sql`alter table tickets add column nonce text`);
    await run(sql`alter table tokens add column op text`);
    await convertMarks(trx, { unfinished, nowMs });
    await run(sql`drop table marks`);
  },
};

async function readClock(trx: Trx, dialect: Dialect): Promise<number> {
  const { rows } = await sql<{ ms: number }>`select ${sql.raw(CLOCKS[dialect])} as ms`.execute(trx);
  return rows[0]?.ms ?? 0;
}
