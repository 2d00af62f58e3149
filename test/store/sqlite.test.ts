import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { HostedStore } from '../../src/core/ports/hosted-store.ts';
import { StoreUnavailableError } from '../../src/core/ports/store-unavailable.ts';
import { type Migration, migrate } from '../../src/store/hosted/migrate.ts';
import { MIGRATIONS } from '../../src/store/hosted/migrations/all.ts';
import type { Tables } from '../../src/store/hosted/tables.ts';
import { createNodeSqliteDialect } from '../../src/store/node-sqlite-dialect.ts';
import { openStore } from '../../src/store/open-store.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { openSqliteFile } from '../../src/store/sqlite-file.ts';
import { type Backend, KEY } from './hosted/backend.ts';
import { startChild } from './hosted/children.ts';
import { at, delivery, note, request } from './hosted/commits.ts';
import { testContract } from './hosted/contract.ts';

async function makeBackend(): Promise<Backend & { file: string; directory: string }> {
  const directory = mkdtempSync(join(tmpdir(), 'autobuild-sqlite-'));
  const file = join(directory, 'data', 'autobuild.db');
  return {
    directory,
    file,
    where: { file },
    async query(text) {
      const database = new DatabaseSync(file, { timeout: 5000 });
      try {
        return database.prepare(text).all();
      } finally {
        database.close();
      }
    },
    async remove() {
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

testContract('SQLite', makeBackend);

test('a limit is part of the text, because SQLite would plan the statement again for each value', () => {
  const db = new Kysely<Tables>({ dialect: createNodeSqliteDialect(new DatabaseSync(':memory:'), 0) });
  const query = db.selectFrom('runs').select('run').where('issue', '=', 7).limit(3).compile();
  expect(query.sql).toContain('limit 3');
  expect(query.parameters).toEqual([7]);
});

describe('SQLite alone', () => {
  let backend: Awaited<ReturnType<typeof makeBackend>>;
  const opened: HostedStore[] = [];
  const open = async (busyMs?: number) => {
    const store = await openSqliteStore({ file: backend.file, key: KEY, busyMs });
    opened.push(store);
    return store;
  };
  beforeEach(async () => {
    backend = await makeBackend();
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
    await backend.remove();
  });

  test('R-11: the files are for their owner only, and no value is in them', async () => {
    const { vault, inbox } = await open();
    await vault.put('r1', 'token', 'hunter2');
    await inbox.put([{ ...delivery('d'), payload: '/provide token=hunter2' }]);
    const files = readdirSync(join(backend.file, '..'));
    expect(files).toContain('autobuild.db-wal');
    for (const name of files) {
      const file = join(backend.file, '..', name);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(readFileSync(file).includes('hunter2')).toBe(false);
    }
  });

  test('R-3: every commit is synced before it is acknowledged', async () => {
    const database = openSqliteFile(backend.file, 100);
    const setting = (name: string) => Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0];
    expect(setting('synchronous')).toBe(2);
    expect(setting('journal_mode')).toBe('wal');
    // Waiting inside SQLite would stop the whole process.
    expect(setting('busy_timeout')).toBe(0);
    database.close();
  });

  test('R-12: a file that another process holds is a 503 after the wait, nothing is written, and then it works', async () => {
    const store = await open(200);
    await store.runs.commit('r1', 0, request('r1'));
    const holder = new DatabaseSync(backend.file);
    holder.exec('begin immediate');
    let ticks = 0;
    const ticker = setInterval(() => {
      ticks += 1;
    }, 10);
    const refused = await store.runs.commit('r1', 1, note(2)).catch((error: unknown) => error);
    clearInterval(ticker);
    expect(refused).toBeInstanceOf(StoreUnavailableError);
    expect(refused).toMatchObject({ status: 503, message: expect.stringContaining('another process holds') });
    await expect(store.inbox.put([delivery('d')])).rejects.toThrow(StoreUnavailableError);
    await expect(store.inbox.claim(1000)).rejects.toThrow(StoreUnavailableError);
    // A wait inside SQLite would leave no moment for a timer. One tick is enough, because a busy machine has few of them.
    expect(ticks).toBeGreaterThan(0);
    expect((await store.runs.load('r1')).version).toBe(1);
    holder.exec('rollback');
    holder.close();
    expect(await store.runs.commit('r1', 1, note(2))).toMatchObject({ ok: true, version: 2 });
    expect(await store.inbox.size()).toMatchObject({ waiting: 0 });
  });

  test('R-12: a disk that is full refuses the commit whole', async () => {
    const store = await open();
    await store.runs.commit('r1', 0, request('r1'));
    await store.close();
    const child = startChild('fillDisk', backend, { fileBlocks: 600 });
    const result = JSON.parse((await child.nextLine()) ?? '{}');
    expect(result).toMatchObject({ refused: 'StoreUnavailableError' });
    expect(result.version).toBeGreaterThan(2);
    expect(result.updated_at).toBe(at(result.version));
    await child.ended;
    const { runs, outbox } = await open();
    expect((await runs.load('r1')).version).toBe(result.version);
    expect(await runs.events('r1')).toHaveLength(result.version);
    expect(await outbox.size()).toMatchObject({ waiting: result.version - 1 });
    expect(await backend.query('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  });

  test('R-12: a store that was closed, or whose place cannot be written, says so with its type', async () => {
    const store = await open();
    await store.close();
    await store.close();
    await expect(store.runs.load('r1')).rejects.toThrow(StoreUnavailableError);
    await expect(openSqliteStore({ file: backend.directory, key: KEY })).rejects.toThrow();
  });

  test('a step of a migration that fails leaves the tables as they were; the steps before it stay', async () => {
    const database = new DatabaseSync(backend.file.replace('data/', ''));
    const db = new Kysely<Tables>({ dialect: createNodeSqliteDialect(database, 100) });
    const add: Migration = {
      name: '0003-colour',
      up: async (trx) => void (await sql`alter table settings add column colour text`.execute(trx)),
    };
    const fail: Migration = {
      name: '0004-broken',
      async up(trx) {
        await sql`alter table settings add column size text`.execute(trx);
        throw new Error('half way');
      },
    };
    await migrate(db, 'sqlite', MIGRATIONS);
    await sql`insert into settings (name, value) values ('k', 'v')`.execute(db);
    await expect(migrate(db, 'sqlite', [...MIGRATIONS, add, fail])).rejects.toThrow('half way');
    expect(database.prepare('select * from settings').all()).toEqual([
      { name: 'k', value: 'v', colour: null },
    ]);
    expect(database.prepare('select name from migrations').all()).toEqual([
      ...MIGRATIONS.map(({ name }) => ({ name })),
      { name: '0003-colour' },
    ]);
    await db.destroy();
  });
});

test('a database in memory works like any other, is empty for each, and leaves no file', async () => {
  const [one, other] = [
    await openStore({ file: ':memory:', key: KEY, clock: '1000' }),
    await openStore({ file: ':memory:', key: KEY }),
  ];
  await one.runs.commit('r1', 0, { ...request('r1'), effects: note(1).effects });
  expect((await one.now()).getTime()).toBe(1000);
  expect(await one.outbox.size()).toEqual({ waiting: 1, busy: 0, buried: 0 });
  const lease = (await one.outbox.claim(1000)) ?? expect.fail();
  expect(await one.outbox.next(lease)).toMatchObject({ id: 'r1.1.1' });
  await one.inbox.put([delivery('d')]);
  expect(await one.inbox.claim(1000)).toMatchObject({ id: 'd' });
  expect(await other.runs.list(1)).toEqual([]);
  for (const store of [one, other]) await store.close();
  expect(readdirSync('.').filter((name) => name.startsWith(':memory:'))).toEqual([]);
});

test('a store without a place, or with a URL of something else, is refused', async () => {
  await expect(openStore({ key: KEY })).rejects.toThrow('needs a database URL (PostgreSQL) or the name');
  await expect(openStore({ databaseUrl: 'mysql://user:pass@x/y', key: KEY })).rejects.toThrow(
    'must begin with postgres://',
  );
});
