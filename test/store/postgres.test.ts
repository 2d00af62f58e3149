import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { HostedStore } from '../../src/core/ports/hosted-store.ts';
import { StoreUnavailableError } from '../../src/core/ports/store-unavailable.ts';
import { openPostgresStore } from '../../src/store/postgres.ts';
import { type Backend, KEY } from './hosted/backend.ts';
import { at, delivery, note, request } from './hosted/commits.ts';
import { testContract } from './hosted/contract.ts';
import { type PostgresServer, startPostgres } from './hosted/postgres-server.ts';

let server: PostgresServer;
/** Its tables are made once: making them takes longer than most tests. */
let withTables: string;
beforeAll(async () => {
  server = await startPostgres();
  withTables = await server.createDatabase();
  await (await openPostgresStore({ url: withTables, key: KEY })).close();
  emptying = await prepareEmptying(withTables);
});
afterAll(() => server.close());

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** Databases that no test uses any more. Emptying one takes a part of the time that it takes to make and to drop one. */
const unused: string[] = [];
let emptying: string;

/** Keeps what a new database has in its settings. Returns statements that make a database as it was when it was new. */
async function prepareEmptying(url: string): Promise<string> {
  await query(url, 'create schema kept; create table kept.settings as table public.settings');
  const tables = await query(
    url,
    "select tablename from pg_tables where schemaname = 'public' and tablename <> 'migrations'",
  );
  return `
    select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid();
    drop table if exists test_clock;
    truncate ${tables.map(({ tablename }) => tablename).join(', ')} restart identity;
    insert into settings select * from kept.settings`;
}

async function makeBackend(content: 'empty' | 'tables'): Promise<Backend> {
  const reused = content === 'tables' ? unused.pop() : undefined;
  const url = reused ?? (await server.createDatabase(content === 'tables' ? withTables : undefined));
  return {
    where: { databaseUrl: url },
    query: (text) => query(url, text),
    async remove() {
      if (content === 'empty') return server.dropDatabase(url);
      try {
        await query(url, emptying);
        unused.push(url);
      } catch {
        // The test has changed the tables themselves.
        await server.dropDatabase(url);
      }
    },
  };
}

testContract('PostgreSQL', makeBackend);

describe('PostgreSQL alone', () => {
  const opened: HostedStore[] = [];
  const open = async (url: string) => {
    const store = await openPostgresStore({ url, key: KEY });
    opened.push(store);
    return store;
  };
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
  });

  /** Polls with a deadline: the other instance hears it a moment later. */
  const hears = (heard: string[], what: string) =>
    vi.waitFor(() => expect(heard).toContain(what), { timeout: 60_000, interval: 20 });

  test('R-1: what one instance puts in or commits wakes the other', async () => {
    const url = await server.createDatabase(withTables);
    const [a, b] = [await open(url), await open(url)];
    const heard: string[] = [];
    const own: string[] = [];
    b.onWake((what) => heard.push(what));
    a.onWake((what) => own.push(what));
    await a.inbox.put([delivery('d')]);
    await hears(heard, 'inbox');
    await a.runs.commit('r1', 0, request('r1'));
    await a.runs.commit('r1', 1, note(2));
    await hears(heard, 'outbox');
    await hears(heard, 'run:r1');
    // Its own are not heard twice.
    expect(own).toEqual(['inbox', 'run:r1', 'outbox', 'run:r1']);
  });

  test('R-12: connections that are cut: a 503 at most, then all goes on, also the waking', async () => {
    const url = await server.createDatabase(withTables);
    const [a, b] = [await open(url), await open(url)];
    await a.runs.commit('r1', 0, request('r1'));
    const heard: string[] = [];
    b.onWake((what) => heard.push(what));
    let version = 1;
    const outcomes = { done: 0, refused: 0 };
    const cuts = (async () => {
      for (let cut = 0; cut < 5; cut += 1) {
        await query(
          url,
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
        );
        const before = outcomes.done;
        await vi.waitFor(() => expect(outcomes.done).toBeGreaterThan(before + 3), { timeout: 60_000 });
      }
      return true;
    })();
    let stop = false;
    const stopped = cuts.finally(() => {
      stop = true;
    });
    while (!stop) {
      try {
        const result = await a.runs.commit('r1', version, note(version + 1));
        outcomes.done += 1;
        version = result.ok ? result.version : (await a.runs.load('r1')).version;
      } catch (error) {
        expect(error).toBeInstanceOf(StoreUnavailableError);
        outcomes.refused += 1;
      }
    }
    await stopped;
    const { state, version: last } = await b.runs.load('r1');
    expect(state?.updated_at).toBe(at(last));
    expect(await b.runs.events('r1')).toHaveLength(last);
    expect(await b.outbox.size()).toMatchObject({ waiting: last - 1 });
    // What it may have missed is made up for, and new things are heard again.
    await hears(heard, 'inbox');
    await vi.waitFor(
      async () => {
        heard.length = 0;
        await a.runs.commit('r2', 0, request('r2')).catch(() => undefined);
        await a.inbox.put([delivery(`d-${Math.random()}`)]);
        await vi.waitFor(() => expect(heard).toContain('inbox'), { timeout: 5_000 });
      },
      { timeout: 60_000 },
    );
  });

  test('R-12: a server that is down is a 503, and is used again when it is back', async () => {
    const own = await startPostgres({ existing: '' });
    try {
      const url = await own.createDatabase();
      const store = await open(url);
      await store.runs.commit('r1', 0, request('r1'));
      await own.stop();
      const refused = await store.runs.commit('r1', 1, note(2)).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(StoreUnavailableError);
      expect(String(refused)).not.toContain('127.0.0.1');
      await expect(store.inbox.put([delivery('d')])).rejects.toThrow(StoreUnavailableError);
      await expect(openPostgresStore({ url, key: KEY })).rejects.toThrow(StoreUnavailableError);
      await own.start();
      expect(await store.runs.commit('r1', 1, note(2))).toMatchObject({ ok: true, version: 2 });
      expect(await store.inbox.size()).toEqual({ waiting: 0, busy: 0, buried: 0 });
      await store.close();
    } finally {
      await own.close();
    }
  });

  test('R-2: a delivery with a lower number that becomes visible late neither overtakes nor blocks its lane', async () => {
    const url = await server.createDatabase(withTables);
    const { inbox } = await open(url);
    await inbox.put([delivery('first'), delivery('second')]);
    const first = (await inbox.claim(1000)) ?? expect.fail();
    await inbox.done(first);
    const second = (await inbox.claim(1000)) ?? expect.fail();
    // As if another instance had begun to insert earlier and committed only now.
    await query(
      url,
      `update inbox set state = 'waiting', body = (select body from inbox where id = 'second') where id = 'first'`,
    );
    expect(await inbox.claim(1000)).toBeUndefined();
    expect(await inbox.done(second)).toBe(true);
    expect(await inbox.size()).toMatchObject({ waiting: 1 });
  });
});
