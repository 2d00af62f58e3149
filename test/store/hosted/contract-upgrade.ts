import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import type { HostedStore } from '../../../src/core/ports/hosted-store.ts';
import { migrate } from '../../../src/store/hosted/migrate.ts';
import { MIGRATIONS } from '../../../src/store/hosted/migrations/all.ts';
import type { Tables } from '../../../src/store/hosted/tables.ts';
import { createNodeSqliteDialect } from '../../../src/store/node-sqlite-dialect.ts';
import { openSqliteFile } from '../../../src/store/sqlite-file.ts';
import type { Backend, Bench } from './backend.ts';
import { at } from './commits.ts';

const ROWS = join(import.meta.dirname, '..', '..', 'fixtures', 'store', 'before-lanes.sql');
const SHA = (letter: string) => letter.repeat(40);

/** A store as the version before lanes left it. */
async function writeOldStore({ where: { databaseUrl, file = '' } }: Backend): Promise<void> {
  const dialect = databaseUrl ? 'postgres' : 'sqlite';
  const db = new Kysely<Tables>({
    dialect: databaseUrl
      ? new PostgresDialect({ pool: new pg.Pool({ connectionString: databaseUrl }) })
      : createNodeSqliteDialect(openSqliteFile(file, 1000), 1000),
  });
  await migrate(db, dialect, MIGRATIONS.slice(0, 1));
  const lines = readFileSync(ROWS, 'utf8').split('\n');
  await db.transaction().execute(async (trx) => {
    for (const line of lines.filter((text) => text.startsWith('insert')))
      await sql.raw(databaseUrl ? line.replace(/ X'([0-9a-f]*)'/g, " '\\x$1'") : line).execute(trx);
  });
  await db.destroy();
}

export function testUpgrade(bench: Bench): void {
  const upgrade = async (): Promise<HostedStore> => {
    await writeOldStore(bench.backend);
    return bench.open();
  };
  /** Everything that waits, lane by lane, in the order it is performed. */
  const drain = async ({ outbox }: HostedStore) => {
    const lanes: Record<string, { id: string; run?: string; effect: object; attempts: number }[]> = {};
    for (let held = await outbox.claim(60_000); held; held = await outbox.claim(60_000)) {
      for (let item = await outbox.next(held); item; item = await outbox.next(held)) {
        const { lane, last_error: _, ...rest } = item;
        lanes[lane] = [...(lanes[lane] ?? []), rest];
        await outbox.done(held, item.id);
      }
      await outbox.release(held);
    }
    return lanes;
  };

  test('runs of before have a phase, and their states, journals, values and timers stay', async () => {
    const { runs, vault, blobs, inbox, timers } = await upgrade();
    expect(await runs.inPhase('working')).toEqual([
      'i2-building',
      'i3-verifying',
      'i4-requested',
      'i5-starting',
      'i6-queued',
      'no-target',
    ]);
    expect(await runs.inPhase('waiting')).toEqual(['i1-waiting', 'i9-closed-pull']);
    expect(await runs.inPhase('resting')).toEqual(['i7-reviewing']);
    expect(await runs.inPhase('ended')).toEqual(['i8-cancelled']);
    // Its retention begins with the upgrade.
    const ended = await bench.backend.query('select run from runs where ended_ms is not null');
    expect(ended).toEqual([{ run: 'i8-cancelled' }]);
    expect(await runs.prune(0)).toBeGreaterThan(0);
    expect(await bench.backend.query('select run from blobs')).toHaveLength(1);
    expect(await runs.load('i1-waiting')).toMatchObject({
      version: 7,
      state: { pending: expect.any(String), task: { title: 'Für Ämter \u0000' } },
    });
    expect(await runs.ofIssue(77, 7)).toBe('i7-reviewing');
    expect(await runs.target('i7-reviewing')).toMatchObject({ owner: 'acme', issue: 7 });
    expect(await runs.target('no-target')).toBeUndefined();
    expect(await runs.events('i4-requested')).toHaveLength(1);
    const [{ ref } = { ref: '' }] = await bench.backend.query('select ref from inputs');
    expect(await vault.open('i1-waiting', [String(ref)])).toEqual({ token: 'hunter2' });
    expect(String(await blobs.get('i2-building', 'checkpoint'))).toBe('session');
    const due = { run: 'i1-waiting', timer: 'reminder:e1', at: '2026-11-16T20:46:35.167Z', attempts: 0 };
    expect(await timers.due(10)).toEqual([due]);
    // Its installation is not known, so it is handled however many workers an installation has.
    const waiting = await inbox.claim(1000, { full: [1, 2] });
    expect(waiting).toMatchObject({ id: 'd-1', payload: '{"body":"/provide token=x"}' });
    expect(waiting).not.toHaveProperty('installation');
  });

  test('R-2: what was answered before is not answered again, and is kept for as long as anything new', async () => {
    const { runs, cursors } = await upgrade();
    const answered = [
      'label:i1-waiting',
      'label:i8-cancelled',
      'comment:501',
      'comment:502',
      'refused:i1-waiting:mallory:write',
      'not-started:10.not-started.abcd',
    ];
    for (const key of answered) expect([key, await runs.wasSeen(key)]).toEqual([key, true]);
    await runs.prune(24 * 3_600_000);
    for (const key of answered) expect([key, await runs.wasSeen(key)]).toEqual([key, true]);
    expect(await cursors.get('redelivery', 'guid-1')).toEqual({ tries: 2, after: at(700) });
    expect(await bench.backend.query('select name from cursors')).toEqual([{ name: 'redelivery' }]);
    // All that has ended counts as long ago. Whose the comments of before are is not known, and a run that waits may need them.
    await runs.prune(-24 * 3_600_000);
    const kept = ['label:i1-waiting', ...answered.slice(2)].sort();
    const seen = await bench.backend.query(
      "select key from seen where run in ('', 'i1-waiting') order by key",
    );
    expect(seen).toEqual(kept.map((key) => ({ key })));
    expect(await runs.wasSeen('label:i8-cancelled')).toBe(false);
    const [ofRun] = await bench.backend.query("select * from seen where key = 'label:i1-waiting'");
    expect([ofRun?.run, ofRun?.repo_id, ofRun?.issue].map(String)).toEqual(['i1-waiting', '77', '1']);
  });

  test('R-3: effects that wait are in the lane of their issue; one under way is performed again', async () => {
    const store = await upgrade();
    expect(await store.outbox.buried(10)).toMatchObject([
      { id: 'i2-building.4.0', run: 'i2-building', error: 'GitHub refused' },
    ]);
    const run = 'i2-building';
    const build = { type: 'dispatch_job' };
    expect(await drain(store)).toEqual({
      '77#1': [{ id: 'i1-waiting.7.0', run: 'i1-waiting', effect: expect.anything(), attempts: 2 }],
      '77#2': [
        {
          id: 'i2-building.4.1',
          run,
          effect: { type: 'reply', reply: { tone: 'taken', title: 'Für „Ämter“ 登录' } },
          attempts: 2,
        },
        { id: 'i2-building.4.2', run, effect: { type: 'publish', ready: false }, attempts: 1 },
      ],
      // The second request for the same job is gone.
      '77#4': [
        { id: 'i4-requested.1.0', run: 'i4-requested', effect: { ...build, job: 1 }, attempts: 2 },
        { id: 'i4-requested.1.1', run: 'i4-requested', effect: { type: 'update_status' }, attempts: 1 },
      ],
      '77#5': [{ id: 'i5-starting.9.0', run: 'i5-starting', effect: { ...build, job: 2 }, attempts: 2 }],
      // A request for a job that nobody needs is gone.
      '77#7': [
        { id: 'i7-reviewing.17.0', run: 'i7-reviewing', effect: { type: 'show_receipt' }, attempts: 1 },
      ],
      'no-target': [{ id: 'no-target.4.0', run: 'no-target', effect: expect.anything(), attempts: 1 }],
    });
    await store.outbox.revive('i2-building.4.0');
    expect(await drain(store)).toMatchObject({ '77#2': [{ effect: { type: 'update_status' } }] });
  });

  test('R-13: every ticket and every request that waits has its dispatch, open where a job may be under way', async () => {
    const { dispatches, runs } = await upgrade();
    const open: Record<string, object[]> = {};
    for (const run of await runs.list(100)) open[run] = await dispatches.open(run);
    const claimed = (seconds: number) => ({
      decided_at: at(seconds),
      requested_at: at(seconds),
      answered_at: at(seconds),
      claimed_at: at(seconds),
      working_at: at(seconds),
    });
    expect(open).toEqual({
      'i1-waiting': [],
      'i2-building': [
        {
          op: 'ticket.ticket-2',
          run: 'i2-building',
          job: 1,
          kind: 'build',
          actions_run: 9002,
          attempt: 2,
          ...claimed(105),
          heard_at: at(150),
        },
      ],
      'i3-verifying': [
        {
          op: 'ticket.ticket-3-second',
          run: 'i3-verifying',
          job: 1,
          kind: 'verify',
          verification: '1.2',
          decided_at: at(245),
          requested_at: at(245),
          answered_at: at(245),
          actions_run: 9005,
        },
      ],
      'i4-requested': [
        {
          op: 'i4-requested.1.0',
          run: 'i4-requested',
          job: 1,
          kind: 'build',
          decided_at: expect.any(String),
        },
      ],
      'i5-starting': [
        {
          op: 'i5-starting.9.0',
          run: 'i5-starting',
          job: 2,
          kind: 'build',
          decided_at: at(301),
          requested_at: at(301),
        },
      ],
      'i6-queued': [
        {
          op: 'ticket.ticket-6',
          run: 'i6-queued',
          job: 2,
          kind: 'build',
          decided_at: at(351),
          requested_at: at(351),
          answered_at: at(351),
          actions_run: 9006,
        },
      ],
      'i7-reviewing': [],
      'i8-cancelled': [],
      'i9-closed-pull': [],
      'no-target': [],
    });
    expect(await dispatches.ofActionsRun(9001)).toMatchObject({ op: 'ticket.ticket-1', outcome: 'ended' });
    expect(await dispatches.ofActionsRun(9004)).toMatchObject({ verification: '1.1', outcome: 'ended' });
    expect(await dispatches.ofActionsRun(9007)).toMatchObject({ outcome: 'dropped' });
    expect(await dispatches.ofActionsRun(9008)).toMatchObject({ outcome: 'stopped' });
    expect(await dispatches.newestClaimed('i3-verifying')).toMatchObject({ op: 'ticket.ticket-3-first' });
  });

  test('a token of before speaks for its job, and a ticket of before is taken', async () => {
    const { tickets } = await upgrade();
    expect(await tickets.findToken('token-2')).toEqual({
      op: 'ticket.ticket-2',
      run: 'i2-building',
      job: 1,
      kind: 'build',
    });
    // A later attempt had made it void.
    expect(await tickets.findToken('token-2-first')).toBeUndefined();
    expect(await tickets.findToken('token-3-build')).toMatchObject({ op: 'ticket.ticket-3-build' });
    expect(await tickets.findToken('token-3-first')).toEqual({
      op: 'ticket.ticket-3-first',
      run: 'i3-verifying',
      job: 1,
      kind: 'verify',
      verification: '1.1',
    });
    // A claim that was cut off left a ticket that was taken later, and no token.
    expect(await tickets.findToken('token-7')).toMatchObject({ op: 'ticket.ticket-7', verification: '1.1' });
    const expires_at = at(245 + 6 * 3600);
    expect(await tickets.find('ticket-3-second')).toEqual({
      op: 'ticket.ticket-3-second',
      run: 'i3-verifying',
      job: 1,
      kind: 'verify',
      verification: '1.2',
      expires_at,
      revoked: false,
    });
    const claim = { actions_run: 9005, attempt: 1, now: at(250) };
    expect(await tickets.redeem('ticket-3-second', claim)).toBe(true);
    expect(await tickets.redeem('ticket-2', { actions_run: 9002, attempt: 2, now: at(250) })).toBe(false);
    expect(await tickets.redeem('ticket-8', { actions_run: 9008, attempt: 1, now: at(510) })).toBe(false);
    expect(await tickets.find('ticket-5')).toMatchObject({ op: 'i5-starting.9.0', job: 2 });
    // The job of before goes on with its token, and is told apart from one that comes with its ticket.
    expect(await tickets.findToken('token-2')).toMatchObject({ op: 'ticket.ticket-2' });
    expect(await tickets.addToken('fresh', 'ticket.ticket-2')).not.toBe('added');
  });

  test('comments, labellings and published work arrive as records', async () => {
    const { comments, labellings, publications } = await upgrade();
    expect(await comments.find('i1-waiting.e1')).toEqual({
      op: 'i1-waiting.e1',
      run: 'i1-waiting',
      tried_at: at(20),
      comment_id: 4_000_000_102,
      node_id: 'IC_102',
      body_hash: 'question-hash',
      minimised: false,
    });
    expect(await comments.ofComment(4_000_000_101)).toMatchObject({ op: 'i1-waiting.status' });
    expect(await comments.find('i7-reviewing.10.0')).toMatchObject({
      minimised: true,
      escalation: undefined,
    });
    expect(await comments.newest('i7-reviewing', 'review')).toMatchObject({
      op: 'i7-reviewing.12.0',
      escalation: 'e1',
      minimised: false,
    });
    expect(await comments.find('10.not-started.abcd')).toEqual({
      op: '10.not-started.abcd',
      tried_at: at(599),
      minimised: false,
    });
    expect(await labellings.of('i1-waiting')).toEqual({ event: 4_000_000_900, at: at(0) });
    expect(await labellings.of('i2-building')).toEqual({ at: at(100) });
    expect(await publications.of('i7-reviewing')).toEqual({
      branch: 'autobuild/issue-7-i7-reviewing',
      head: SHA('b'),
      pull: 70,
      content: 'content-digest',
      unpublished: null,
      ci: { of: SHA('b'), sha: SHA('c'), by: 'rosa', at: at(400) },
      left_out: { files: [{ path: 'a.bin', problem: 'too large' }], total: 1 },
      check: 'check-digest',
      label: 'autobuild: review',
      report_run: 9007,
      free_of_secrets: 'clean-digest',
      replaces_nothing: 'paths-digest',
    });
    expect(await publications.of('i1-waiting')).toEqual({ label: 'autobuild: waiting', report_run: 9001 });
    expect(await publications.of('i8-cancelled')).toMatchObject({ unpublished: { detail: 'It is kept.' } });
    expect(await publications.ofPull(77, 70)).toBe('i7-reviewing');
    expect(await publications.ownCommits(77, 7)).toEqual([SHA('b'), SHA('c')]);
  });
}
