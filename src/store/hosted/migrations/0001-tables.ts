import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

export const tables: Migration = {
  name: '0001-tables',
  async up(trx, dialect) {
    const postgres = dialect === 'postgres';
    const bytes = sql.raw(postgres ? 'bytea' : 'blob');
    const counter = sql.raw(
      postgres ? 'bigint generated always as identity primary key' : 'integer primary key autoincrement',
    );
    // Small rows are stored in the primary key's tree, so that no second tree is needed.
    const small = sql.raw(postgres ? '' : 'without rowid');
    const run = async (statement: ReturnType<typeof sql>) => statement.execute(trx);

    await run(sql`create table runs (
      seq ${counter},
      run text not null unique,
      version integer not null,
      state text not null,
      finished integer not null,
      place text,
      repo_id bigint,
      issue bigint
    )`);
    await run(sql`create index runs_of_issue on runs (repo_id, issue, seq)`);
    await run(sql`create index runs_active on runs (seq) where finished = 0`);

    await run(sql`create table journal (
      run text not null,
      version integer not null,
      body text not null,
      primary key (run, version)
    )`);
    await run(sql`create table seen (key text primary key, run text not null) ${small}`);

    await run(sql`create table timers (
      run text not null,
      timer text not null,
      at text not null,
      at_ms bigint not null,
      primary key (run, timer)
    ) ${small}`);
    await run(sql`create index timers_due on timers (at_ms)`);

    for (const name of ['inbox', 'outbox']) {
      const table = sql.table(name);
      const index = (suffix: string) => sql.id(`${name}_${suffix}`);
      await run(sql`create table ${table} (
        seq ${counter},
        id text not null unique,
        lane text not null,
        kind text not null,
        body ${bytes} not null,
        put_ms bigint not null,
        state text not null default 'waiting' check (state in ('waiting', 'busy', 'buried', 'done')),
        due_ms bigint not null default 0,
        attempts integer not null default 0,
        fence text,
        claimed_ms bigint,
        error text
      )`);
      await run(
        sql`create index ${index('due')} on ${table} (due_ms, seq) where state in ('waiting', 'busy')`,
      );
      await run(sql`create index ${index('lane')} on ${table} (lane, seq) where state = 'waiting'`);
      // Guarantees a single worker per lane, independently of the claim's query.
      await run(sql`create unique index ${index('busy')} on ${table} (lane) where state = 'busy'`);
      await run(sql`create index ${index('buried')} on ${table} (seq) where state = 'buried'`);
      await run(sql`create index ${index('done')} on ${table} (put_ms) where state = 'done'`);
    }

    await run(sql`create table blobs (
      run text not null,
      name text not null,
      bytes ${bytes} not null,
      primary key (run, name)
    )`);

    await run(sql`create table comments (
      seq ${counter},
      run text not null,
      op text not null,
      comment_id bigint not null,
      node_id text not null,
      body_hash text not null,
      unique (run, op)
    )`);
    await run(sql`create index comments_by_id on comments (comment_id, seq)`);

    await run(sql`create table tickets (
      hash text primary key,
      run text not null,
      job integer not null,
      kind text not null check (kind in ('build', 'verify')),
      expires_ms bigint not null,
      revoked integer not null default 0,
      actions_run bigint,
      attempt integer
    )`);
    await run(sql`create index tickets_of_run on tickets (run, job)`);

    await run(sql`create table tokens (
      hash text primary key,
      run text not null,
      job integer not null,
      kind text not null check (kind in ('build', 'verify'))
    )`);
    await run(sql`create index tokens_of_run on tokens (run, job)`);

    await run(sql`create table marks (key text primary key, value text not null) ${small}`);
    await run(sql`create table inputs (
      ref text primary key,
      run text not null,
      key text not null,
      sealed ${bytes} not null
    )`);
    await run(sql`create index inputs_of_run on inputs (run)`);
    await run(sql`create table settings (name text primary key, value ${bytes} not null)`);
  },
};
