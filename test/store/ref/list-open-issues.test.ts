import { expect, test } from 'vitest';
import { writeLease } from '../../../src/store/ref/lease.ts';
import { listOpenIssues } from '../../../src/store/ref/list-open-issues.ts';
import { createMemoryRefStorage } from './memory-ref-storage.ts';

const DAY_MS = 24 * 60 * 60_000;
const until = '2026-11-16T08:00:00.000Z';
const holder = { run: 1, attempt: 1, part: 'desk' };

test('N-2: open issues are those whose run has not ended and that no desk works on', async () => {
  const storage = createMemoryRefStorage();
  const put = (name: string, message: string) =>
    storage.swap(`refs/autobuild/issue-${name}`, undefined, { message, entries: {} });
  await put('1', writeLease({ holder: null, until, id: 'a' }));
  await put('2', writeLease({ holder, until, id: 'b' }));
  await put('3', writeLease({ holder: null, until, ended: until, id: 'c' }));
  await put('4', 'a commit of somebody else');
  await put('5x', writeLease({ holder: null, until, id: 'd' }));
  expect(await listOpenIssues({ storage, now: () => 0 })).toEqual([1]);
});

test('N-2: an issue whose desk died with the lease is open again when the lease has run out', async () => {
  const storage = createMemoryRefStorage();
  const message = writeLease({ holder, until, id: 'a' });
  await storage.swap('refs/autobuild/issue-1', undefined, { message, entries: {} });
  const at = (ms: number) => listOpenIssues({ storage, now: () => Date.parse(until) + ms });
  expect(await at(0)).toEqual([]);
  expect(await at(DAY_MS)).toEqual([1]);
});

test('N-2: where too many are open for one round, none is left out for ever', async () => {
  const storage = createMemoryRefStorage();
  for (let issue = 1; issue <= 60; issue += 1)
    await storage.swap(`refs/autobuild/issue-${issue}`, undefined, {
      message: writeLease({ holder: null, until, ...(issue % 4 === 0 && { ended: until }), id: 'a' }),
      entries: {},
    });
  const days = await Promise.all([0, 1].map((day) => listOpenIssues({ storage, now: () => day * DAY_MS })));
  for (const picked of days) expect(picked.length).toBe(30);
  expect(new Set(days.flat()).size).toBe(45);
});
