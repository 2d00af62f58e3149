import { afterEach, beforeEach, expect, test } from 'vitest';
import { openFirstReads } from '../../../src/app/reconcile/first-reads.ts';
import type { HostedStore } from '../../../src/core/ports/hosted-store.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';

const MINUTE_MS = 60_000;
let store: HostedStore;
let time = Date.UTC(2026, 10, 16, 9, 0, 0);
beforeEach(async () => {
  store = await openSqliteStore({ file: ':memory:', key: Buffer.alloc(32, 7).toString('base64') });
});
afterEach(() => store.close());

/** One round that takes as many single calls as it gets, up to `wanted`. */
async function round(wanted = 100, installation = 100): Promise<number> {
  const reads = await openFirstReads({ store, now: () => new Date(time) }, installation);
  let taken = 0;
  while (taken < wanted && reads.take(1)) taken += 1;
  await reads.close();
  return taken;
}

test('R-14: an installation has three first reads a minute, and those of one run at once', async () => {
  expect(await round()).toBe(12);
  let hour = 0;
  for (let minute = 0; minute < 60; minute += 1) {
    time += MINUTE_MS;
    hour += await round();
  }
  expect(hour).toBe(180);
  time += 15 * MINUTE_MS;
  expect(await round()).toBe(12);
});

test('R-14: a restart gives no others, and an installation takes none of another', async () => {
  expect(await round(10)).toBe(10);
  expect(await round()).toBe(2);
  expect(await round()).toBe(0);
  expect(await round(100, 101)).toBe(12);
});

test('R-14: a desk whose clock is behind has none before their time', async () => {
  await round();
  time -= MINUTE_MS / 3;
  expect(await round()).toBe(0);
});

test('R-14: after a clock was ahead, the reads come back at their pace', async () => {
  time += 60 * 24 * MINUTE_MS;
  expect(await round()).toBe(12);
  time -= 60 * 24 * MINUTE_MS;
  expect(await round()).toBe(0);
  time += 2 * MINUTE_MS;
  expect(await round()).toBe(6);
});

test('R-14: several calls that belong together are made in one round, or put off together', async () => {
  await round(11);
  const reads = await openFirstReads({ store, now: () => new Date(time) }, 100);
  expect(reads.take(2)).toBe(false);
  expect(reads.take(1)).toBe(true);
});

test('R-14: what is still under way when the round ends takes none of the next one', async () => {
  const reads = await openFirstReads({ store, now: () => new Date(time) }, 100);
  expect(reads.take(4)).toBe(true);
  await reads.close();
  expect(reads.take(1)).toBe(false);
  expect(await round()).toBe(8);
});
