import { expect, test } from 'vitest';
import type { HostedStore } from '../../../src/core/ports/hosted-store.ts';
import type { Commit } from '../../../src/core/ports/ports.ts';
import type { Bench } from './backend.ts';
import { asking, at, finish, request, target } from './commits.ts';

export function testSlots(bench: Bench): void {
  const begin = (store: HostedStore, run: string, issue: number, repoId = 77) =>
    store.runs.commit(run, 0, {
      ...request(run),
      effects: [{ type: 'dispatch_job', job: 1 }],
      target: { ...target(issue), repo_id: repoId },
    });
  const queue = async (...runs: string[]) => {
    const store = await bench.open();
    for (const [index, run] of runs.entries()) await begin(store, run, index + 1);
    return store;
  };
  const pausing: Commit = {
    input: { type: 'timer', at: at(1), timer: 'pause' },
    events: [{ type: 'run_paused', at: at(1), by: 'rosa', rearm: [] }],
    effects: [],
  };

  test('limits.parallel: more runs than allowed are queued, in the order they came', async () => {
    const { slots } = await queue('a', 'b', 'c', 'd');
    expect(await slots.take('a', 2)).toEqual({ taken: true, waited: false });
    expect(await slots.take('b', 2)).toEqual({ taken: true, waited: false });
    expect(await slots.take('c', 2)).toEqual({ taken: false, building: 2, position: 1 });
    expect(await slots.take('d', 2)).toEqual({ taken: false, building: 2, position: 2 });
    expect(await slots.take('c', 2)).toEqual({ taken: false, building: 2, position: 1 });
    expect(await slots.queued('d')).toEqual({ building: 2, position: 2 });
    expect(await slots.queued('a')).toBeUndefined();
  });

  test('limits.parallel: a run keeps its slot over its jobs, and asking again takes no second one', async () => {
    const { slots, runs } = await queue('a', 'b');
    await slots.take('a', 1);
    await runs.commit('a', 1, asking(1, [{ type: 'dispatch_job', job: 2 }]));
    expect(await slots.take('a', 1)).toEqual({ taken: true, waited: false });
    expect(await slots.take('b', 1)).toMatchObject({ taken: false, building: 1 });
  });

  test('limits.parallel: a run that ends makes room for the one that waits longest, whoever asks first', async () => {
    const { slots, runs } = await queue('a', 'b', 'c');
    await slots.take('a', 1);
    await slots.take('b', 1);
    await runs.commit('a', 1, finish(9));
    expect(await slots.take('c', 1)).toEqual({ taken: false, building: 0, position: 2 });
    expect(await slots.take('b', 1)).toEqual({ taken: true, waited: true });
    expect(await slots.queued('c')).toEqual({ building: 1, position: 1 });
  });

  test('limits.parallel: a run that waits for a person without a job has no slot, and loses its place in line', async () => {
    const { slots, runs } = await queue('a', 'b', 'c');
    await slots.take('a', 1);
    await slots.take('b', 1);
    await runs.commit('b', 1, pausing);
    expect(await slots.queued('b')).toBeUndefined();
    await runs.commit('a', 1, pausing);
    expect(await slots.take('c', 1)).toMatchObject({ taken: true });
  });

  test.each([
    ['was cancelled', finish(1)],
    ['was paused', pausing],
  ])('limits.parallel: a run that %s since takes no slot and joins no queue', async (_, since) => {
    const { slots, runs } = await queue('a', 'b', 'c');
    await runs.commit('a', 1, since);
    expect(await slots.take('a', 1)).toBeUndefined();
    expect(await slots.take('b', 1)).toEqual({ taken: true, waited: false });
    expect(await slots.take('a', 1)).toBeUndefined();
    expect(await slots.queued('a')).toBeUndefined();
    expect(await slots.take('c', 1)).toEqual({ taken: false, building: 1, position: 1 });
  });

  test('limits.parallel: no run keeps a slot that is cancelled by one desk while another one takes it', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `r${index}`);
    const first = await queue(...names, 'last');
    const second = await bench.open();
    await Promise.all(
      names.flatMap((run) => [first.slots.take(run, 99), second.runs.commit(run, 1, finish(1))]),
    );
    const held = 'select run from runs where slot_ms is not null or queued_ms is not null';
    expect(await bench.backend.query(held)).toEqual([]);
    expect(await first.slots.take('last', 1)).toEqual({ taken: true, waited: false });
  });

  test('limits.parallel: a slot that an older version left with a run that ended counts no more', async () => {
    const { slots, runs } = await queue('a', 'b', 'c');
    for (const run of ['a', 'b']) await runs.commit(run, 1, finish(1));
    await bench.backend.query("update runs set slot_ms = 1 where run = 'a'");
    await bench.backend.query("update runs set queued_ms = 1 where run = 'b'");
    expect(await slots.take('c', 1)).toEqual({ taken: true, waited: false });
  });

  test('limits.parallel: a question keeps the slot while its job is there', async () => {
    const { slots, runs } = await queue('a', 'b');
    await slots.take('a', 1);
    const started: Commit = {
      input: { type: 'timer', at: at(1), timer: 'start' },
      events: [
        { type: 'job_started', at: at(1), job: 1 },
        { type: 'run_paused', at: at(1), by: 'rosa', rearm: [] },
      ],
      effects: [],
    };
    await runs.commit('a', 1, started);
    expect(await slots.take('b', 1)).toMatchObject({ taken: false });
    await runs.commit('a', 2, {
      ...asking(2, []),
      events: [{ type: 'job_lost', at: at(2), reason: 'gone' }],
    });
    expect(await slots.take('b', 1)).toMatchObject({ taken: true });
  });

  test('limits.parallel: repositories do not wait for each other', async () => {
    const store = await queue('a');
    await begin(store, 'other', 1, 78);
    await store.slots.take('a', 1);
    expect(await store.slots.take('other', 1)).toMatchObject({ taken: true });
  });

  test('limits.parallel: desks that ask at once never let in more than allowed', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `r${index}`);
    const first = await queue(...names);
    const second = await bench.open();
    const asked = names.map((run, index) => (index % 2 ? first : second).slots.take(run, 3));
    expect((await Promise.all(asked)).filter((slot) => slot?.taken)).toHaveLength(3);
    const places = await Promise.all(names.map((run) => first.slots.queued(run)));
    const inLine = places.flatMap((place) => place ?? []).map(({ position }) => position);
    expect(inLine.toSorted()).toEqual([1, 2, 3, 4, 5]);
  });

  test('limits.parallel: a free slot makes the dispatches that wait for one due at once', async () => {
    const { slots, runs, outbox } = await queue('a', 'b');
    await slots.take('a', 1);
    await slots.take('b', 1);
    for (const lane of ['first', 'second']) {
      const lease = await outbox.claim(10_000);
      const effect = lease && (await outbox.next(lease));
      expect([lane, effect?.effect.type]).toEqual([lane, 'dispatch_job']);
      if (lease && effect?.run === 'a') await outbox.done(lease, effect.id);
      else if (lease && effect) await outbox.retry(lease, effect.id, 3_600_000);
      if (lease) await outbox.release(lease);
    }
    expect(await outbox.claim(10_000)).toBeUndefined();
    await runs.commit('a', 1, finish(9));
    const lease = await outbox.claim(10_000);
    expect(lease && (await outbox.next(lease))).toMatchObject({ run: 'b' });
  });

  const costing = (number: number, dollars: number, time: string): Commit => ({
    ...asking(number, []),
    events: [
      {
        type: 'job_parked',
        at: time,
        active_ms: 0,
        guards: {},
        usage: { input_tokens: 0, output_tokens: 0, cost_usd: dollars },
      },
    ],
  });

  test('limits.monthly_dollars: what runs cost is added up by repository and month, each dollar once', async () => {
    const { runs, spending } = await queue('a', 'b');
    await runs.commit('a', 1, costing(1, 2.5, '2026-11-30T23:59:59.000Z'));
    await runs.commit('b', 1, costing(1, 1, '2026-11-16T09:00:00.000Z'));
    await runs.commit('a', 2, costing(2, 4, '2026-12-01T00:00:00.000Z'));
    await runs.commit('a', 3, costing(3, 4, '2026-12-02T00:00:00.000Z'));
    expect(await spending.inMonth(77, '2026-11')).toBeCloseTo(3.5);
    expect(await spending.inMonth(77, '2026-12')).toBeCloseTo(1.5);
    expect(await spending.inMonth(78, '2026-11')).toBe(0);
  });
}
