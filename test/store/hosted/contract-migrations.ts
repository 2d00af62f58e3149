import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../../src/store/hosted/migrations/all.ts';
import type { Bench } from './backend.ts';
import { request } from './commits.ts';

const NAMES = MIGRATIONS.map(({ name }) => name);

export function testMigrations(bench: Bench): void {
  const names = async () =>
    (await bench.backend.query('select name from migrations')).map(({ name }) => name);

  test('instances that start at once on an empty database make its tables once', async () => {
    const stores = await Promise.all([1, 2, 3, 4].map(() => bench.open()));
    expect(await names()).toEqual(NAMES);
    await stores[0]?.runs.commit('r1', 0, request('r1'));
    for (const { runs } of stores) expect((await runs.load('r1')).version).toBe(1);
  });

  test('an existing database is used as it is', async () => {
    const store = await bench.open();
    await store.runs.commit('r1', 0, request('r1'));
    await store.close();
    expect((await (await bench.open()).runs.load('r1')).version).toBe(1);
    expect(await names()).toEqual(NAMES);
  });

  test('a database of a newer version is refused, and left as it is', async () => {
    await (await bench.open()).close();
    await bench.backend.query(`insert into migrations (number, name) values (999, '9999-later')`);
    await expect(bench.open()).rejects.toThrow(
      'has the migration 9999-later, which this version does not know',
    );
    expect(await names()).toEqual([...NAMES, '9999-later']);
  });
}
