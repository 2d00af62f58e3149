import { expect, test } from 'vitest';
import type { HostedStore } from '../../../src/core/ports/hosted-store.ts';
import type { Bench } from './backend.ts';
import { startChild } from './children.ts';
import { at, note, request } from './commits.ts';

export function testCrashes(bench: Bench): void {
  test('R-7: of many commits at once through two instances one wins each version', async () => {
    const [a, b] = [await bench.open(), await bench.open()];
    const attempt = (store: HostedStore, version: number) =>
      store.runs.commit('r1', version, version === 0 ? request('r1') : note(version + 1));
    for (let version = 0; version < 8; version += 1) {
      const tries = [a, b, a, b, a, b].map((store) => attempt(store, version));
      const won = (await Promise.all(tries)).filter(({ ok }) => ok);
      expect(won).toEqual([{ ok: true, version: version + 1, duplicate: false }]);
      expect(await a.runs.load('r1')).toEqual(await b.runs.load('r1'));
    }
    expect(await a.runs.events('r1')).toHaveLength(8);
  });

  test('R-2: two instances that answer the same thing with a new run each: one run', async () => {
    const stores = [await bench.open(), await bench.open()];
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all(
        stores.map(({ runs }, index) => {
          const run = `run-${round}-${index}`;
          return runs.commit(run, 0, { ...request(run), seen: [`label:${round}`, `issue:${round}`] });
        }),
      );
      expect(answers.map((answer) => answer.ok && answer.duplicate).sort()).toEqual([false, true]);
    }
    expect(await stores[0]?.runs.list(100)).toHaveLength(5);
  });

  test('R-7: two processes that race for one run: every version once, none lost', async () => {
    const { runs } = await bench.open();
    await runs.commit('r1', 0, request('r1'));
    const children = [1, 2].map(() => startChild('winCommits', bench.backend, { count: 40 }));
    for (const child of children) expect(await child.nextLine()).toBe('ready');
    const results = [];
    for (const child of children) results.push(JSON.parse((await child.nextLine()) ?? '{}'));
    const won = results.flatMap((result: { won: number[] }) => result.won).sort((x, y) => x - y);
    expect(won).toEqual(Array.from({ length: 80 }, (_, index) => index + 2));
    await expectWhole(bench, await bench.open(), 81);
  });

  test('R-3: kill -9 amid commits: nothing acknowledged is lost, and no transition is half done', async () => {
    const store = await bench.open();
    await store.runs.commit('r1', 0, request('r1'));
    let acknowledged = 1;
    for (const commits of [3, 11, 23]) {
      const child = startChild('commitForever', bench.backend);
      while (child.lines.length < commits) expect(await child.nextLine()).toBeDefined();
      child.process.kill('SIGKILL');
      await child.ended;
      const last = Number(child.lines.at(-1));
      expect(last).toBeGreaterThan(acknowledged);
      acknowledged = last;
      const reopened = await bench.open();
      const { version } = await reopened.runs.load('r1');
      // One may have been durable before it could be said.
      expect(version).toBeGreaterThanOrEqual(acknowledged);
      expect(version).toBeLessThanOrEqual(acknowledged + 1);
      await expectWhole(bench, reopened, version);
      const keys = await bench.backend.query('select key from seen');
      expect(keys).toHaveLength(version - 1);
      const next = await reopened.runs.commit('r1', version, { ...note(1), seen: [`key ${version}`] });
      expect(next).toEqual({ ok: true, version, duplicate: true });
    }
  });
}

/** State, journal, outbox and timers tell of the same commits. */
async function expectWhole(bench: Bench, { runs, outbox }: HostedStore, version: number): Promise<void> {
  expect(await bench.backend.query('select run, timer, at from timers')).toEqual([
    { run: 'r1', timer: 'next', at: at(version) },
  ]);
  const { state, version: loaded } = await runs.load('r1');
  expect(loaded).toBe(version);
  const journal = await runs.events('r1');
  expect(journal.map((entry) => entry.version)).toEqual(Array.from({ length: version }, (_, i) => i + 1));
  expect(journal.at(-1)?.commit.events).toEqual(note(version).events);
  expect(state?.updated_at).toBe(at(version));
  expect(await outbox.size()).toEqual({ waiting: version - 1, busy: 0, buried: 0 });
}
