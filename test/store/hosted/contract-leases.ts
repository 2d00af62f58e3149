import { expect, test } from 'vitest';
import type { Bench } from './backend.ts';
import { at } from './commits.ts';
import { openWithClock } from './test-clock.ts';

const LEASE_MS = 30_000;

export function testLeases(bench: Bench): void {
  test('a task belongs to one desk at a time, as long as it renews its lease', async () => {
    const { store, setClock, openAnother } = await openWithClock(bench);
    const other = await openAnother();
    const claims = await Promise.all(
      [store, other, store, other].map((desk, index) =>
        desk.leaseTask('reconcile', `desk-${index}`, LEASE_MS),
      ),
    );
    expect(claims.filter((is) => is)).toEqual([true]);
    const owner = `desk-${claims.indexOf(true)}`;
    await setClock(29);
    expect(await other.leaseTask('reconcile', 'late', LEASE_MS)).toBe(false);
    expect(await other.leaseTask('timers', 'late', LEASE_MS)).toBe(true);
    expect(await store.leaseTask('reconcile', owner, LEASE_MS)).toBe(true);
    await setClock(58);
    expect(await other.leaseTask('reconcile', 'late', LEASE_MS)).toBe(false);
    await setClock(59);
    expect(await other.leaseTask('reconcile', 'late', LEASE_MS)).toBe(true);
    expect(await store.leaseTask('reconcile', owner, LEASE_MS)).toBe(false);
  });

  test('a task that is leased is not counted as a busy lane', async () => {
    const { leaseTask, outbox } = await bench.open();
    await leaseTask('reconcile', 'desk', LEASE_MS);
    expect(await outbox.size()).toEqual({ waiting: 0, busy: 0, buried: 0 });
  });

  test('R-12: health is tried with a write', async () => {
    const { store, setClock } = await openWithClock(bench);
    await store.probe();
    await setClock(9);
    await store.probe();
    const written = await bench.backend.query('select at_ms from cursors');
    expect(written.map(({ at_ms }) => Number(at_ms))).toEqual([Date.parse(at(9))]);
    await bench.backend.query('drop table cursors');
    await expect(store.probe()).rejects.toThrow();
  });

  test('the time is that of the database', async () => {
    const { store, setClock } = await openWithClock(bench);
    await setClock(9);
    expect((await store.now()).toISOString()).toBe(at(9));
    const own = await (await bench.open()).now();
    expect(Math.abs(own.getTime() - Date.now())).toBeLessThan(60_000);
  });
}
