import { copyFileSync, fstatSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { HostedStore } from '../../src/core/ports/hosted-store.ts';
import { StoreUnavailableError } from '../../src/core/ports/store-unavailable.ts';
import { createSealer } from '../../src/store/seal.ts';
import { createSqliteStore } from '../../src/store/sqlite.ts';
import { openSqliteFile } from '../../src/store/sqlite-file.ts';
import { KEY } from './hosted/backend.ts';
import { delivery, request } from './hosted/commits.ts';

let directory: string;
let file: string;
let connection: DatabaseSync;
let store: HostedStore;
/** The syncs that were begun, each to be ended by the test. */
let syncs: (PromiseWithResolvers<void> & { descriptor: number })[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'autobuild-sync-'));
  file = join(directory, 'desk.db');
  syncs = [];
  connection = openSqliteFile(file, 100);
  store = await createSqliteStore(connection, {
    sealer: createSealer(KEY),
    busyMs: 100,
    syncFile(descriptor) {
      const sync = { ...Promise.withResolvers<void>(), descriptor };
      syncs.push(sync);
      return sync.promise;
    },
  });
});
afterEach(async () => {
  for (const { resolve } of syncs) resolve();
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

/** The sync with this number, once it was begun. */
async function begun(number: number): Promise<(typeof syncs)[number]> {
  await expect.poll(() => syncs.length).toBeGreaterThanOrEqual(number);
  return syncs[number - 1] as (typeof syncs)[number];
}

const put = (id: string) => {
  const state = { isSettled: false, result: store.inbox.put([delivery(id)]) };
  const settle = () => {
    state.isSettled = true;
  };
  state.result.then(settle, settle);
  return state;
};
/** As many rounds of the event loop as a commit may take. */
const rounds = async () => {
  for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
};
/** What another process reads. */
function readIds(from = file): unknown[] {
  const reader = new DatabaseSync(from);
  try {
    return reader
      .prepare('select id from inbox order by seq')
      .all()
      .map(({ id }) => id);
  } finally {
    reader.close();
  }
}
const synchronous = () => connection.prepare('pragma synchronous').get()?.synchronous;

describe('webhooks', () => {
  test('R-3: are acknowledged once the disk has them; meanwhile the store works on', async () => {
    const first = put('a');
    const { descriptor, resolve } = await begun(1);
    expect(fstatSync(descriptor).ino).toBe(statSync(`${file}-wal`).ino);
    expect(readIds()).toEqual(['a']);
    expect(await store.runs.commit('r1', 0, request('r1'))).toMatchObject({ ok: true });
    await rounds();
    expect(first.isSettled).toBe(false);
    resolve();
    expect(await first.result).toEqual(['fresh']);
  });

  test('R-3: that are committed during a sync share the next one, because this one may have begun before', async () => {
    const first = put('a');
    const one = await begun(1);
    const later = [put('b'), put('c')];
    await expect.poll(() => readIds()).toEqual(['a', 'b', 'c']);
    one.resolve();
    await first.result;
    const two = await begun(2);
    await rounds();
    expect(later.map(({ isSettled }) => isSettled)).toEqual([false, false]);
    two.resolve();
    expect(await Promise.all(later.map(({ result }) => result))).toEqual([['fresh'], ['fresh']]);
    expect(syncs).toHaveLength(2);
  });

  test('R-3: are committed without a sync of SQLite, which every other commit keeps', async () => {
    connection.exec(`create temp table levels (level);
      create temp trigger level after insert on inbox begin
        insert into levels select synchronous from pragma_synchronous;
      end`);
    const first = put('a');
    (await begun(1)).resolve();
    await first.result;
    expect(connection.prepare('select level from levels').all()).toEqual([{ level: 1 }]);
    expect(synchronous()).toBe(2);
    const holder = new DatabaseSync(file);
    holder.exec('begin immediate');
    await expect(store.inbox.put([delivery('b')])).rejects.toThrow(StoreUnavailableError);
    holder.close();
    expect(synchronous()).toBe(2);
  });
});

describe('a disk that refuses a sync', () => {
  const refused = Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });

  test('R-12: what was committed is copied to the database file, because a later sync would prove nothing', async () => {
    const first = put('a');
    (await begun(1)).reject(refused);
    expect(await first.result).toEqual(['fresh']);
    expect(statSync(`${file}-wal`).size).toBe(0);
    const copy = join(directory, 'copy.db');
    copyFileSync(file, copy);
    expect(readIds(copy)).toEqual(['a']);
  });

  test('R-12: everything is refused until that succeeds, because what is written behind a gap is lost with it', async () => {
    const reader = new DatabaseSync(file);
    const first = put('a');
    const one = await begun(1);
    reader.exec('begin');
    reader.prepare('select id from inbox').all();
    const second = put('b');
    await expect.poll(() => readIds()).toEqual(['a', 'b']);
    one.reject(refused);
    await expect(first.result).rejects.toThrow('the disk refuses to write');
    await expect(second.result).rejects.toThrow(StoreUnavailableError);
    await expect(store.inbox.put([delivery('c')])).rejects.toThrow(StoreUnavailableError);
    await expect(store.runs.commit('r1', 0, request('r1'))).rejects.toThrow(StoreUnavailableError);
    await expect(store.inbox.claim(1000)).rejects.toThrow(StoreUnavailableError);
    expect(syncs).toHaveLength(1);
    reader.close();
    expect(await store.runs.commit('r1', 0, request('r1'))).toMatchObject({ ok: true });
    expect(statSync(`${file}-wal`).size).toBeLessThan(statSync(file).size);
    const again = put('a');
    (await begun(2)).resolve();
    expect(await again.result).toEqual(['duplicate']);
    expect(readIds()).toEqual(['a', 'b']);
  });
});

test('the store closes after the sync that is under way, and a store in memory has none', async () => {
  const first = put('a');
  const { descriptor, resolve } = await begun(1);
  const closing = store.close();
  await rounds();
  expect(fstatSync(descriptor).isFile()).toBe(true);
  resolve();
  await closing;
  expect(await first.result).toEqual(['fresh']);
  expect(() => fstatSync(descriptor)).toThrow('EBADF');
  const memory = await createSqliteStore(new DatabaseSync(':memory:'), { sealer: createSealer(KEY) });
  expect(await memory.inbox.put([delivery('a')])).toEqual(['fresh']);
  await memory.close();
});
