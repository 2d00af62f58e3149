import { expect, test } from 'vitest';
import { writeLease } from '../../../src/store/ref/lease.ts';
import { removeOldRefs } from '../../../src/store/ref/remove-old-refs.ts';
import { createMemoryRefStorage } from './memory-ref-storage.ts';
import { openForTest, REF } from './open-for-test.ts';

const ENDED = '2026-01-01T00:00:00Z';
const after = (days: number) => () => Date.parse(ENDED) + days * 24 * 60 * 60_000;

test('N-2: the state goes some days after the last run ended, and not before', async () => {
  const storage = createMemoryRefStorage();
  await (await openForTest({ storage })).release({ ended: ENDED });
  expect(await removeOldRefs({ storage, now: after(6) })).toEqual([]);
  expect(await removeOldRefs({ storage, now: after(8) })).toEqual([REF]);
  expect(storage.tips.size).toBe(0);
});

test('N-2: the state of a run under way, of a desk that works, and refs of others stay', async () => {
  const storage = createMemoryRefStorage();
  await (await openForTest({ storage })).release();
  await (await openForTest({ storage, issue: 8 })).release({ ended: ENDED });
  const working = await openForTest({ storage, issue: 8 });
  storage.tips.set('refs/autobuild/issue-9', { oid: 'f', message: 'mine', entries: {} });
  expect(await removeOldRefs({ storage, now: after(400) })).toEqual([]);
  await working.release();
});

test('N-2: the state that a dead desk held goes, too, when its lease has run out', async () => {
  const storage = createMemoryRefStorage();
  const until = new Date(after(10)()).toISOString();
  const holder = { run: 1, attempt: 1, part: 'desk' };
  const message = writeLease({ holder, until, ended: ENDED, id: 'a' });
  storage.tips.set(REF, { oid: 'a', message, entries: {} });
  expect(await removeOldRefs({ storage, now: after(9) })).toEqual([]);
  expect(await removeOldRefs({ storage, now: after(11) })).toEqual([REF]);
});

test('N-2: a ref that a desk takes in the same moment stays', async () => {
  const storage = createMemoryRefStorage();
  await (await openForTest({ storage })).release({ ended: ENDED });
  const { read } = storage;
  storage.read = async (ref) => {
    const tip = await read(ref);
    storage.tips.set(ref, { oid: 'another', message: '', entries: {} });
    return tip;
  };
  expect(await removeOldRefs({ storage, now: after(8) })).toEqual([]);
  expect(storage.tips.size).toBe(1);
});

test('N-2: of very many refs, others are looked at each day, and all in the end', async () => {
  const storage = createMemoryRefStorage();
  const message = JSON.stringify({ holder: null, until: ENDED, ended: ENDED, id: 'x' });
  for (let issue = 1; issue <= 250; issue += 1) {
    const isOld = issue % 10 === 0;
    const refMessage = isOld ? message : JSON.stringify({ holder: null, until: ENDED, id: 'x' });
    storage.tips.set(`refs/autobuild/issue-${issue}`, {
      oid: String(issue),
      message: refMessage,
      entries: {},
    });
  }
  let removed = 0;
  for (let day = 8; day < 18; day += 1) {
    storage.calls.read = 0;
    removed += (await removeOldRefs({ storage, now: after(day) })).length;
    expect(storage.calls.read).toBeLessThanOrEqual(100);
  }
  expect(removed).toBe(25);
});
