import { afterEach, expect, test, vi } from 'vitest';
import type { Effect } from '../../../src/core/contracts/effect.ts';
import type { HostedStore } from '../../../src/core/ports/hosted-store.ts';
import { ASKED_TO_WAIT, type LaneLease } from '../../../src/core/ports/outbox.ts';
import type { Bench } from './backend.ts';
import { startChild } from './children.ts';
import { asking, at, note, request, target } from './commits.ts';
import { openWithClock } from './test-clock.ts';
import type { Worked } from './work-through.ts';

const LEASE_MS = 30_000;
const status: Effect = { type: 'update_status' };
const reply = (title: string): Effect => ({ type: 'reply', reply: { tone: 'info', title } });
const notify = (reminder: number): Effect => ({
  type: 'notify',
  escalation: 'e1',
  priority: 'normal',
  reminder,
});

export function testOutbox(bench: Bench): void {
  afterEach(() => {
    vi.useRealTimers();
  });

  const openOutbox = async () => {
    const { store, setClock, openAnother } = await openWithClock(bench);
    return { store, outbox: store.outbox, setClock, openAnother };
  };
  /** A run on an issue, with these effects in its lane. */
  const ask = async ({ runs }: HostedStore, run: string, issue: number, effects: Effect[]) => {
    const { version } = await runs.load(run);
    if (version === 0) await runs.commit(run, 0, { ...request(run), target: target(issue) });
    await runs.commit(run, Math.max(version, 1), asking(version + 1, effects));
  };
  const lease = async ({ outbox }: HostedStore): Promise<LaneLease> =>
    (await outbox.claim(LEASE_MS)) ?? expect.fail('no lane is free');
  const nextId = async ({ outbox }: HostedStore, held: LaneLease) => (await outbox.next(held))?.id;

  test('effects of one issue are of one lane, whichever run asked for them', async () => {
    const { store, outbox } = await openOutbox();
    await ask(store, 'r1', 1, [reply('one')]);
    await ask(store, 'r2', 1, [reply('two')]);
    const held = await lease(store);
    expect(held.lane).toBe('77#1');
    expect(await outbox.next(held)).toEqual({
      id: 'r1.2.0',
      lane: '77#1',
      run: 'r1',
      effect: reply('one'),
      attempts: 1,
    });
    expect(await outbox.claim(LEASE_MS)).toBeUndefined();
    await outbox.done(held, 'r1.2.0');
    expect(await outbox.next(held)).toMatchObject({ id: 'r2.2.0', run: 'r2' });
    await outbox.done(held, 'r2.2.0');
    expect(await outbox.next(held)).toBeUndefined();
    expect(await bench.backend.query('select id from outbox')).toEqual([]);
  });

  test('a run without an issue has a lane of its own', async () => {
    const { runs, outbox } = await bench.open();
    await runs.commit('r1', 0, request('r1'));
    await runs.commit('r1', 1, note(2));
    expect(await outbox.claim(LEASE_MS)).toMatchObject({ lane: 'r1' });
  });

  test('R-2: of many who claim at once through two instances, one gets the lane', async () => {
    const { store, openAnother } = await openOutbox();
    const other = await openAnother();
    await ask(store, 'r1', 1, [reply('one'), reply('two')]);
    for (let round = 0; round < 5; round += 1) {
      const claims = await Promise.all(
        [store, other, store, other, store, other].map(({ outbox }) => outbox.claim(LEASE_MS)),
      );
      const won = claims.filter((claim) => claim !== undefined);
      expect(won).toHaveLength(1);
      for (const held of won) await store.outbox.release(held);
    }
  });

  test('R-3: a lease that ran out changes nothing, and the lane goes to another', async () => {
    const { store, outbox, setClock } = await openOutbox();
    await ask(store, 'r1', 1, [reply('one'), reply('two')]);
    const old = await lease(store);
    expect(await nextId(store, old)).toBe('r1.2.0');
    await setClock(29);
    expect(await outbox.claim(LEASE_MS)).toBeUndefined();
    await setClock(30);
    const expectPowerless = async () => {
      expect(await outbox.next(old)).toBeUndefined();
      expect(await outbox.renew(old, LEASE_MS)).toBe(false);
      expect(await outbox.done(old, 'r1.2.0')).toBe(false);
      expect(await outbox.retry(old, 'r1.2.0', 60_000, 'late')).toBe(false);
      expect(await outbox.bury(old, 'r1.2.0', 'late')).toBe(false);
    };
    await expectPowerless();
    const fresh = await lease(store);
    expect(fresh).toMatchObject({ lane: '77#1' });
    await expectPowerless();
    await outbox.release(old);
    expect(await outbox.claim(LEASE_MS)).toBeUndefined();
    expect(await outbox.next(fresh)).toMatchObject({ id: 'r1.2.0', attempts: 2 });
    expect(await outbox.size()).toEqual({ waiting: 2, busy: 1, buried: 0 });
  });

  test('R-3: a lease that is renewed holds on, counted from then', async () => {
    const { store, outbox, setClock } = await openOutbox();
    await ask(store, 'r1', 1, [reply('one')]);
    const held = await lease(store);
    await setClock(20);
    expect(await outbox.renew({ ...held, fence: 'guessed' }, LEASE_MS)).toBe(false);
    expect(await outbox.renew(held, LEASE_MS)).toBe(true);
    await setClock(49);
    expect(await outbox.claim(LEASE_MS)).toBeUndefined();
    expect(await nextId(store, held)).toBe('r1.2.0');
    await setClock(50);
    expect(await outbox.claim(LEASE_MS)).toBeDefined();
  });

  test('an effect of another lane is out of reach', async () => {
    const { store, outbox } = await openOutbox();
    await ask(store, 'r1', 1, [reply('one')]);
    await ask(store, 'r2', 2, [reply('two')]);
    const held = await lease(store);
    expect(held.lane).toBe('77#1');
    await outbox.done(held, 'r2.2.0');
    await outbox.bury(held, 'r2.2.0', 'no');
    await outbox.retry(held, 'r2.2.0', 60_000, 'no');
    expect(await lease(store)).toMatchObject({ lane: '77#2' });
    expect(await outbox.size()).toEqual({ waiting: 2, busy: 2, buried: 0 });
  });

  test('R-10: an effect that waits for its retry holds up its slot and nothing else', async () => {
    const { store, outbox, setClock } = await openOutbox();
    await ask(store, 'r1', 1, [notify(1), reply('one'), notify(2), reply('two')]);
    const held = await lease(store);
    expect(await nextId(store, held)).toBe('r1.2.0');
    expect(await outbox.retry(held, 'r1.2.0', 10_000, 'GitHub is down')).toBe(true);
    for (const id of ['r1.2.1', 'r1.2.3']) {
      expect(await nextId(store, held)).toBe(id);
      await outbox.done(held, id);
    }
    expect(await nextId(store, held)).toBeUndefined();
    await setClock(9);
    expect(await nextId(store, held)).toBeUndefined();
    await setClock(10);
    expect(await outbox.next(held)).toMatchObject({ id: 'r1.2.0', attempts: 2 });
    await outbox.done(held, 'r1.2.0');
    expect(await nextId(store, held)).toBe('r1.2.2');
  });

  test('R-10: a newer effect brings the retry of those before it in its slot forward, and no other', async () => {
    const { store, outbox, setClock } = await openOutbox();
    const dispatch = (job: number): Effect => ({ type: 'dispatch_job', job });
    await ask(store, 'r1', 1, [dispatch(1), reply('one')]);
    const held = await lease(store);
    for (const id of ['r1.2.0', 'r1.2.1']) {
      expect(await nextId(store, held)).toBe(id);
      await outbox.retry(held, id, 600_000, 'GitHub is down');
    }
    await setClock(5);
    expect(await nextId(store, held)).toBeUndefined();
    await ask(store, 'r1', 1, [dispatch(2)]);
    // Its back-off begins anew, and it is told apart from a refusal all the same.
    expect(await outbox.next(held)).toMatchObject({
      id: 'r1.2.0',
      attempts: 1,
      last_error: 'GitHub is down',
    });
    await outbox.done(held, 'r1.2.0');
    expect(await nextId(store, held)).toBe('r1.3.0');
    await outbox.done(held, 'r1.3.0');
    expect(await nextId(store, held)).toBeUndefined();
  });

  test('R-10: a newer effect makes a wait that GitHub asked for no shorter, nor one that was put off', async () => {
    const { store, outbox, setClock } = await openOutbox();
    await ask(store, 'r1', 1, [notify(1), { type: 'stop_job' }]);
    const held = await lease(store);
    expect(await nextId(store, held)).toBe('r1.2.1');
    await outbox.retry(held, 'r1.2.1', 10_000);
    expect(await nextId(store, held)).toBe('r1.2.0');
    await outbox.retry(held, 'r1.2.0', 10_000, `${ASKED_TO_WAIT}Slow down`);
    await setClock(9);
    await ask(store, 'r1', 1, [notify(2), { type: 'stop_job' }]);
    expect(await nextId(store, held)).toBeUndefined();
    await setClock(10);
    expect(await nextId(store, held)).toBe('r1.2.1');
    await outbox.done(held, 'r1.2.1');
    await outbox.done(held, 'r1.3.1');
    expect(await outbox.next(held)).toMatchObject({ id: 'r1.2.0', attempts: 2 });
    await setClock(11);
    // It was limited again, while another one came.
    await ask(store, 'r1', 1, [notify(3)]);
    await outbox.retry(held, 'r1.2.0', 10_000, `${ASKED_TO_WAIT}Slow down`);
    expect(await nextId(store, held)).toBeUndefined();
  });

  test('R-10: a newer effect that comes during a failing attempt brings the next one forward, once', async () => {
    const { store, outbox, setClock } = await openOutbox();
    await ask(store, 'r1', 1, [notify(1)]);
    const held = await lease(store);
    expect(await nextId(store, held)).toBe('r1.2.0');
    await setClock(2);
    await ask(store, 'r1', 1, [notify(2)]);
    await setClock(4);
    for (const again of ['r1.2.0', undefined]) {
      await outbox.retry(held, 'r1.2.0', 600_000, 'GitHub is down');
      expect(await nextId(store, held)).toBe(again);
    }
  });

  test('R-3: words about the work that failed hold up nothing, and a deed that failed holds up what builds on it', async () => {
    const { store, outbox, setClock } = await openOutbox();
    const words: Effect[] = [
      { type: 'show_receipt' },
      { type: 'answer_remarks', round: 2 },
      { type: 'describe_pull' },
    ];
    await ask(store, 'r1', 1, [...words, { type: 'publish', ready: true }, ...words]);
    const held = await lease(store);
    const fail = async (type: Effect['type']) => {
      const next = await outbox.next(held);
      expect(next?.effect.type).toBe(type);
      await outbox.retry(held, next?.id ?? '', 10_000, 'GitHub is down');
    };
    // Put off is not failed: it keeps its place.
    const first = (await nextId(store, held)) ?? expect.fail();
    await outbox.retry(held, first, 5_000);
    expect(await nextId(store, held)).toBeUndefined();
    await setClock(5);
    for (const { type } of words) await fail(type);
    await fail('publish');
    expect(await nextId(store, held)).toBeUndefined();
    await setClock(15);
    for (const { type } of words) await fail(type);
    expect(await outbox.next(held)).toMatchObject({ effect: { type: 'publish' }, attempts: 2 });
    await outbox.done(held, 'r1.2.3');
    for (const { type } of words) await fail(type);
    expect(await outbox.size()).toMatchObject({ waiting: 6 });
  });

  test('a lane whose effects all wait for their retry is left alone until one is due', async () => {
    const { store, outbox, setClock } = await openOutbox();
    await ask(store, 'r1', 1, [notify(1), notify(2)]);
    const held = await lease(store);
    await outbox.retry(held, 'r1.2.0', 10_000, 'GitHub is down');
    await outbox.release(held);
    expect(await outbox.claim(LEASE_MS)).toBeUndefined();
    await setClock(10);
    expect(await lease(store)).toMatchObject({ lane: '77#1' });
  });

  test('N-1: the time until the next failed effect is tried again is known, and one that was put off has none', async () => {
    const { store, outbox, setClock } = await openOutbox();
    await ask(store, 'r1', 1, [reply('one'), status]);
    expect(await outbox.retryIn()).toBeUndefined();
    const held = await lease(store);
    for (const error of ['GitHub is down', undefined]) {
      const { id = '' } = (await outbox.next(held)) ?? {};
      await outbox.retry(held, id, error ? 10_000 : 5_000, error);
    }
    expect(await outbox.retryIn()).toBe(10_000);
    await setClock(60);
    expect(await outbox.retryIn()).toBe(0);
  });

  test('stopping, dispatching and deleting a secret overtake what is not urgent', async () => {
    const { store, outbox } = await openOutbox();
    await ask(store, 'r1', 1, [
      reply('one'),
      { type: 'publish', ready: false },
      { type: 'delete_comment', comment: 5 },
      { type: 'stop_job' },
      { type: 'dispatch_job', job: 2 },
      { type: 'react', source: 'comment:6', reaction: 'eyes' },
    ]);
    const held = await lease(store);
    const order = [];
    for (let item = await outbox.next(held); item; item = await outbox.next(held)) {
      order.push(item.effect.type);
      await outbox.done(held, item.id);
    }
    expect(order).toEqual(['delete_comment', 'stop_job', 'dispatch_job', 'react', 'reply', 'publish']);
  });

  test('a newer status replaces one that waits, of its run only', async () => {
    const { store, outbox } = await openOutbox();
    await ask(store, 'r1', 1, [status, reply('one')]);
    await ask(store, 'r2', 1, [status]);
    await ask(store, 'r1', 1, [status]);
    expect(await bench.backend.query('select id from outbox order by seq')).toEqual([
      { id: 'r1.2.1' },
      { id: 'r2.2.0' },
      { id: 'r1.3.0' },
    ]);
    expect(await outbox.size()).toMatchObject({ waiting: 3 });
  });

  test('a status that is replaced while it is performed is done without a trace, and the newer one follows', async () => {
    const { store, outbox, setClock } = await openOutbox();
    await ask(store, 'r1', 1, [status]);
    const held = await lease(store);
    for (const end of ['done', 'retry', 'bury'] as const) {
      const performed = (await nextId(store, held)) ?? expect.fail();
      await ask(store, 'r1', 1, [status]);
      if (end === 'done') expect(await outbox.done(held, performed)).toBe(true);
      if (end === 'retry') expect(await outbox.retry(held, performed, 60_000, 'down')).toBe(true);
      if (end === 'bury') expect(await outbox.bury(held, performed, 'broken')).toBe(true);
      expect(await outbox.size()).toMatchObject({ waiting: 1, buried: 0 });
      expect(await nextId(store, held)).not.toBe(performed);
    }
    await setClock(1);
    expect(await nextId(store, held)).toBe('r1.5.0');
  });

  test('an effect that is given up is shown, frees its slot, and gets another chance when asked for', async () => {
    const { store, outbox, setClock } = await openOutbox();
    await ask(store, 'r1', 1, [notify(1), notify(2)]);
    await setClock(5);
    const held = await lease(store);
    await outbox.next(held);
    expect(await outbox.bury(held, 'r1.2.0', `broken\0${'x'.repeat(9000)}`)).toBe(true);
    const [dead] = await outbox.buried(10);
    expect(dead).toMatchObject({ id: 'r1.2.0', run: 'r1', at: at(5) });
    expect(dead?.error).toMatch(/^brokenx{100,2000}$/);
    expect(await outbox.size()).toEqual({ waiting: 1, busy: 1, buried: 1 });
    expect(await nextId(store, held)).toBe('r1.2.1');
    const heard: string[] = [];
    store.onWake((what) => heard.push(what));
    expect(await outbox.revive('r1.2.0')).toBe(true);
    expect(await outbox.revive('r1.2.0')).toBe(false);
    expect(heard).toEqual(['outbox']);
    expect(await outbox.next(held)).toMatchObject({ id: 'r1.2.0', attempts: 1 });
    expect(await outbox.buried(10)).toEqual([]);
  });

  test('R-14: what was given up of one installation is found, however much newer is of others', async () => {
    const store = await bench.open();
    const { runs, outbox } = store;
    const here = { ...target(1), installation_id: 5_000_000_001 };
    await runs.commit('here', 0, { ...request('here'), target: here, effects: [notify(1), notify(2)] });
    for (let issue = 2; issue <= 4; issue += 1) {
      const run = `elsewhere-${issue}`;
      await runs.commit(run, 0, { ...request(run), target: target(issue), effects: [notify(1)] });
    }
    await runs.commit('no-target', 0, { ...request('no-target'), effects: [notify(1)] });
    for (let held = await outbox.claim(60_000); held; held = await outbox.claim(60_000))
      for (let item = await outbox.next(held); item; item = await outbox.next(held))
        await outbox.bury(held, item.id, 'refused');
    expect(await outbox.buriedOf(here.installation_id, 10)).toEqual(['here.1.1', 'here.1.0']);
    expect(await outbox.buriedOf(here.installation_id, 1)).toEqual(['here.1.1']);
    expect(await outbox.buriedOf(7, 10)).toEqual([]);
  });

  test('R-13: the effects of a run that wait in a lane are shown, also those to be retried, and no others', async () => {
    const { store, outbox } = await openOutbox();
    await ask(store, 'r1', 1, [notify(1), notify(2), notify(3)]);
    await ask(store, 'r2', 1, [status]);
    const held = await lease(store);
    await outbox.next(held);
    await outbox.retry(held, 'r1.2.0', 60_000, 'busy');
    await outbox.next(held);
    await outbox.bury(held, 'r1.2.1', 'refused');
    expect(await outbox.waiting(held.lane, 'r1')).toEqual([notify(1), notify(3)]);
    expect(await outbox.waiting(held.lane, 'r2')).toEqual([status]);
    expect(await outbox.waiting('another', 'r1')).toEqual([]);
  });

  test('R-1: the lane whose effect is due for the longest time is chosen, also before newer ones when it is a retry', async () => {
    const { store, outbox, setClock } = await openOutbox();
    await ask(store, 'r1', 1, [reply('fails')]);
    const held = await lease(store);
    await outbox.retry(held, 'r1.2.0', 10_000, 'GitHub is down');
    await outbox.release(held);
    for (const [second, issue] of [
      [8, 2],
      [12, 3],
      [14, 4],
    ] as const) {
      await setClock(second);
      await ask(store, `r${issue}`, issue, [reply('one'), reply('two'), reply('three')]);
    }
    const lanes = [];
    for (let round = 0; round < 4; round += 1) lanes.push((await lease(store)).lane);
    expect(lanes).toEqual(['77#2', '77#1', '77#3', '77#4']);
  });

  test('R-9: a lane with something urgent comes before those of other issues that are due for longer; none starves', async () => {
    const { store, outbox, setClock } = await openOutbox();
    for (const issue of [1, 2]) await ask(store, `r${issue}`, issue, [reply('one')]);
    await setClock(1);
    for (const issue of [3, 4, 5, 6, 7])
      await ask(store, `r${issue}`, issue, [reply('one'), { type: 'stop_job' }]);
    // Urgent, but not due, or behind one that is not.
    await setClock(2);
    await ask(store, 'r8', 8, [{ type: 'dispatch_job', job: 1 }]);
    for (let held = await outbox.claim(LEASE_MS); held; held = await outbox.claim(LEASE_MS)) {
      if (held.lane !== '77#8') continue;
      await outbox.next(held);
      await outbox.retry(held, 'r8.2.0', 60_000, `${ASKED_TO_WAIT}Slow down`);
    }
    await ask(store, 'r8', 8, [reply('one'), { type: 'dispatch_job', job: 2 }]);
    await setClock(40);
    const lanes = [];
    for (let held = await outbox.claim(LEASE_MS); held; held = await outbox.claim(LEASE_MS))
      lanes.push(Number(held.lane.slice(3)));
    expect(lanes).toEqual([3, 4, 5, 1, 6, 7, 2, 8]);
  });

  test('R-14: of an installation that has enough workers, only lanes with something urgent are chosen', async () => {
    const { store, outbox, setClock } = await openOutbox();
    const ofInstallation = async (installation_id: number, issue: number, effects: Effect[]) => {
      const home = { ...target(issue), installation_id };
      await store.runs.commit(`r${issue}`, 0, { ...request(`r${issue}`), target: home });
      await store.runs.commit(`r${issue}`, 1, asking(2, effects));
    };
    const large = 5_000_000_001;
    await ofInstallation(large, 1, [reply('one')]);
    await setClock(1);
    await ofInstallation(large, 2, [reply('one'), { type: 'stop_job' }]);
    await setClock(2);
    await ofInstallation(8, 3, [reply('one')]);
    await setClock(3);
    const place = { installation_id: 9, repo_id: 77, issue: 4 };
    await store.runs.write(
      place,
      '77-4',
      [{ type: 'react', source: 'comment:5', reaction: 'confused' }],
      ['label:4'],
    );
    await store.runs.commit('r5', 0, { ...request('r5'), effects: [reply('without a place')] });
    const urgent = await outbox.claim(LEASE_MS, { onlyUrgent: true });
    expect(urgent).toMatchObject({ lane: '77#2', installation: large });
    expect(await outbox.claim(LEASE_MS, { onlyUrgent: true })).toBeUndefined();
    if (!urgent) return;
    expect((await outbox.next(urgent, true))?.effect.type).toBe('stop_job');
    await outbox.done(urgent, 'r2.2.1');
    expect(await outbox.next(urgent, true)).toBeUndefined();
    await outbox.release(urgent);
    const full = [large, 9];
    expect(await outbox.claim(LEASE_MS, { full })).toMatchObject({ lane: '77#3', installation: 8 });
    const nowhere = await outbox.claim(LEASE_MS, { full });
    expect(nowhere).toEqual({ lane: 'r5', fence: expect.any(String) });
    expect(await outbox.claim(LEASE_MS, { full })).toBeUndefined();
    expect(await outbox.claim(LEASE_MS, { full: [large] })).toMatchObject({ lane: '77#4', installation: 9 });
    await ask(store, 'r2', 2, [{ type: 'dispatch_job', job: 2 }]);
    expect(await outbox.claim(LEASE_MS, { full })).toMatchObject({ lane: '77#2' });
    expect(await outbox.claim(LEASE_MS)).toMatchObject({ lane: '77#1' });
  });

  test('R-2: desks whose own clocks differ by 20 seconds share the clock of the database', async () => {
    const [fast, slow] = [await bench.open(), await bench.open()];
    await ask(fast, 'r1', 1, [reply('one'), reply('two')]);
    vi.useFakeTimers({ toFake: ['Date'] });
    const asDesk = (skewMs: number) => vi.setSystemTime(performance.timeOrigin + performance.now() + skewMs);
    asDesk(0);
    const held = (await slow.outbox.claim(15_000)) ?? expect.fail();
    asDesk(20_000);
    expect(await fast.outbox.claim(15_000)).toBeUndefined();
    expect((await fast.now()).getTime()).toBeLessThan(Date.now() - 15_000);
    asDesk(-20_000);
    expect(await slow.outbox.next(held)).toMatchObject({ id: 'r1.2.0' });
    expect(await slow.outbox.renew(held, 15_000)).toBe(true);
    // A wait of the slow desk is not over for the fast one.
    expect(await slow.outbox.retry(held, 'r1.2.0', 15_000, 'GitHub is down')).toBe(true);
    await slow.outbox.release(held);
    asDesk(20_000);
    const next = (await fast.outbox.claim(15_000)) ?? expect.fail();
    expect(await fast.outbox.next(next)).toMatchObject({ id: 'r1.2.1' });
    await fast.outbox.done(next, 'r1.2.1');
    expect(await fast.outbox.next(next)).toBeUndefined();
  });

  test('R-2: workers of two processes never overlap in a lane, and its slots stay in order', async () => {
    const store = await bench.open();
    const perRun = 12;
    for (let issue = 1; issue <= 5; issue += 1)
      await ask(
        store,
        `r${issue}`,
        issue,
        Array.from({ length: perRun }, (_, index) => (index % 3 ? notify(index) : reply(String(index)))),
      );
    const children = [1, 2].map(() => startChild('workOutbox', bench.backend, { count: 3 }));
    for (const child of children) expect(await child.nextLine()).toBe('ready');
    const worked: Worked[] = [];
    for (const child of children) worked.push(...JSON.parse((await child.nextLine()) ?? '[]'));
    expect(new Set(worked.map(({ id }) => id)).size).toBe(5 * perRun);
    expect(worked).toHaveLength(5 * perRun);
    for (const items of Map.groupBy(worked, ({ lane }) => lane).values()) {
      const inTime = items.sort((x, y) => (BigInt(x.from) < BigInt(y.from) ? -1 : 1));
      for (const [index, item] of inTime.slice(1).entries())
        expect(BigInt(item.from)).toBeGreaterThan(BigInt(inTime[index]?.to ?? 0));
      const indexes = inTime.map(({ id }) => Number(id.split('.').at(-1)));
      expect(indexes).toEqual(Array.from({ length: perRun }, (_, index) => index));
    }
    expect(await bench.backend.query('select lane from lanes')).toEqual([]);
  });
}
