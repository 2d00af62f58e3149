import { afterEach, expect, test, vi } from 'vitest';
import { handleInput, write } from '../../../src/app/handle-input.ts';
import { fireTimers, startWorkers, type Workers } from '../../../src/app/workers/workers.ts';
import type { Commit } from '../../../src/core/ports/ports.ts';
import { startRun } from '../../core/run-builder.ts';
import { until } from '../../e2e-github/until.ts';
import { request } from '../../store/hosted/commits.ts';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';
import { endJobs } from '../end-jobs.ts';

const DAY_MS = 86_400_000;
/** As often as the desk reconciles, and longer than it waits before it asks for the lease again. */
const RECONCILE_MS = 60_000;

let desk: AppDesk;
let workers: Workers | undefined;
let others: Workers | undefined;
/** Writes that are held until it is called. */
let release: (() => void) | undefined;
afterEach(async () => {
  release?.();
  release = undefined;
  await workers?.stop();
  await others?.stop();
  others = undefined;
  vi.useRealTimers();
  if (desk) await endJobs(desk);
  await desk?.close();
});

const work = () => {
  workers = startWorkers(desk.deps, async () => undefined);
};

test('R-1: who answered while no desk ran is not told afterwards that nobody did', async () => {
  desk = await openAppDesk();
  const run = askingRun(['colour'], { expireMs: 14 * DAY_MS });
  const { issue } = await desk.seed(run);
  // The desk is down, and its webhooks with it; meanwhile the time runs out.
  await desk.olivia.comment(issue, '/provide colour=red');
  desk.clock.ms += 15 * DAY_MS;
  work();
  await until('the answer is taken', async () => (await desk.state()).pending === undefined);
  const { status, finished } = await desk.state();
  expect([status, finished]).toEqual(['building', undefined]);
});

test('P-10: where nobody answered while no desk ran, the run ends when one runs again', async () => {
  desk = await openAppDesk();
  const run = askingRun(['colour'], { expireMs: 14 * DAY_MS });
  await desk.seed(run);
  desk.clock.ms += 15 * DAY_MS;
  work();
  await until('the run has ended', async () => (await desk.state()).status === 'cancelled');
  expect((await desk.state()).finished?.reason).toBe('nobody answered for 15 days');
});

test('R-1: webhooks of several issues are handled at once, and an empty queue costs one look', async () => {
  desk = await openAppDesk();
  const { inbox, outbox } = desk.deps.store;
  const looks: string[] = [];
  const counted = <Queue extends { claim(...args: [number, object?]): unknown }>(
    name: string,
    queue: Queue,
  ): Queue => ({
    ...queue,
    claim(...args: [number, object?]) {
      looks.push(name);
      return queue.claim(...args);
    },
  });
  const store = {
    ...desk.deps.store,
    inbox: counted('inbox', inbox),
    outbox: counted('outbox', outbox),
  };
  await startWorkers({ ...desk.deps, store }, async () => undefined).stop();
  expect(looks.sort()).toEqual(['inbox', 'outbox']);

  const lanes = ['5/1', '5/2', '5/3', '5/4'];
  await inbox.put(
    lanes.map((lane) => ({
      id: lane,
      event: 'push',
      payload: '{}',
      lane,
      received_ms: Date.parse('2026-11-16T09:00:00Z'),
    })),
  );
  // The look of every second would find them, too.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const begun: string[] = [];
  const all = Promise.withResolvers<void>();
  workers = startWorkers(desk.deps, async ({ id }) => {
    begun.push(id);
    if (begun.length === lanes.length) all.resolve();
    await all.promise;
  });
  await all.promise;
  expect(begun.sort()).toEqual(lanes);
});

test('R-14: one desk reconciles, and another one takes over when it stops', async () => {
  desk = await openAppDesk();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const first = watchReconcile();
  workers = startWorkers(first.deps, async () => undefined);
  await until('the first desk reconciles', () => first.rounds === 1);

  const second = watchReconcile();
  others = startWorkers(second.deps, async () => undefined);
  await until('the second desk has asked for the lease', () => second.asked === 1);
  vi.advanceTimersByTime(RECONCILE_MS);
  await until('the first desk reconciles again', () => first.rounds > 1);
  await until('the second desk has asked again', () => second.asked > 1);
  expect(second.rounds).toBe(0);

  await workers.stop();
  const rounds = first.rounds;
  vi.advanceTimersByTime(RECONCILE_MS);
  await until('the second desk reconciles', () => second.rounds > 0);
  expect(first.rounds).toBe(rounds);
});

test('R-3: a desk that is stopped does not wait for a GitHub that never answers', async () => {
  desk = await openAppDesk();
  const asked = Promise.withResolvers<void>();
  const silent = startWorkers(
    {
      ...desk.deps,
      repositories() {
        asked.resolve();
        return new Promise(() => undefined);
      },
    },
    async () => undefined,
  );
  await asked.promise;
  await silent.stop();
  expect(await desk.deps.store.leaseTask('reconcile', 'the next desk', 1)).toBe(true);
});

test('R-3: timers that always fail hold up no other; they are tried every hour at last, and by the next desk', async () => {
  desk = await openAppDesk();
  await desk.seed(askingRun(['colour']));
  const { runs, timers } = desk.store;
  const bad = Array.from({ length: 60 }, (_, index) => `bad-${index}`);
  const poison = [{ type: 'set_timer', timer: 'poison', at: new Date(desk.clock.ms).toISOString() } as const];
  for (const run of bad) await runs.commit(run, 0, { ...request(run), effects: poison });
  const failing = {
    ...desk.deps,
    store: {
      ...desk.store,
      runs: {
        ...runs,
        load: (run: string) =>
          bad.includes(run) ? Promise.reject(new Error('no such state')) : runs.load(run),
      },
    },
  };
  const fire = async () => {
    while (await fireTimers(failing));
  };
  desk.clock.ms += DAY_MS;
  await fire();
  const asked = (await desk.state()).escalations.at(-1);
  expect(asked?.reminders).toBe(1);
  for (let attempt = 2; attempt <= 18; attempt += 1) {
    desk.clock.ms += 600_000;
    await fire();
  }
  const isPoison = ({ timer }: { timer: string }) => timer === 'poison';
  const duePoison = async () => (await timers.due(100)).filter(isPoison).length;
  const HOUR_MS = 3_600_000;
  for (let hour = 1; hour <= 3; hour += 1) {
    expect(desk.logged().match(/timer failed too often/g)).toHaveLength(hour * bad.length);
    desk.clock.ms += HOUR_MS - 1;
    expect(await duePoison()).toBe(0);
    desk.clock.ms += 1;
    expect(await duePoison()).toBe(bad.length);
    await fire();
  }
  work();
  const isTimer = ({ commit: { input } }: { commit: Commit }) => input.type === 'timer';
  await until('the next desk fires it', async () => (await runs.events('bad-0')).some(isTimer));
});

const CONFIG =
  'agent: scripted\nagents:\n  scripted: { command: ["true"] }\nverify: [npm test]\nlimits: { parallel: 9 }\n';
/** More than there are workers for one installation. */
const MANY = 5;
const reply = { type: 'reply', reply: { tone: 'info', title: 'A reply' } } as const;

/** Runs on issues of their own, and another one. Comments are held until they are released, except on the issue of the latter. */
async function seedBacklog(beginLast: () => Promise<{ issue: number }>) {
  desk = await openAppDesk({ config: CONFIG });
  for (let index = 1; index <= MANY; index += 1)
    await desk.seed(startRun({ run: `busy-${index}`, startMs: desk.clock.ms - 3_600_000 }).turn());
  const { issue: last } = await beginLast();
  const { github } = desk.deps;
  const gate = Promise.withResolvers<void>();
  const written: number[] = [];
  const begun: number[] = [];
  desk.deps.github = async (repository) => {
    const real = await github({ ...repository, installation_id: 100 });
    return {
      ...real,
      async createComment(issue, body) {
        begun.push(issue);
        if (issue !== last) await gate.promise;
        const comment = await real.createComment(issue, body);
        written.push(issue);
        return comment;
      },
    };
  };
  for (let index = 1; index <= MANY; index += 1)
    await write(desk.deps, `busy-${index}`, [reply], [`x${index}`]);
  release = gate.resolve;
  return { last, begun, written };
}

test('R-14: the backlog of one installation does not hold up the writes of another', async () => {
  const { last, begun, written } = await seedBacklog(() =>
    desk.seed(startRun({ startMs: desk.clock.ms - 3_600_000 }).turn(), { installation_id: 200 }),
  );
  await write(desk.deps, 'r1', [reply], ['last']);
  work();
  await until('the other installation is written to', () => written.includes(last));
  expect(written).toEqual([last]);
  await until('the backlog is begun', () => begun.length > 3);
  expect(begun.filter((issue) => issue !== last)).toHaveLength(3);
  release?.();
  await until('the backlog is written', () => written.length === MANY + 1);
});

test('R-14: webhooks of one installation whose handlers hang do not hold up those of another', async () => {
  desk = await openAppDesk();
  const { inbox } = desk.store;
  const webhook = (id: string, installation?: number) => ({
    ...{ id, lane: id, event: 'push', payload: '{}', received_ms: desk.clock.ms },
    ...(installation !== undefined && { installation }),
  });
  const hanging = Array.from({ length: MANY }, (_, index) => `hanging-${index}`);
  await inbox.put(hanging.map((id) => webhook(id, 100)));
  await inbox.put([webhook('other', 200), webhook('stored by an older version')]);
  const gate = Promise.withResolvers<void>();
  release = gate.resolve;
  const begun: string[] = [];
  const handled: string[] = [];
  workers = startWorkers(desk.deps, async ({ id }) => {
    begun.push(id);
    if (hanging.includes(id)) await gate.promise;
    handled.push(id);
  });
  const others = ['other', 'stored by an older version'];
  await until('the others are handled', () => handled.length === others.length);
  expect(handled).toEqual(others);
  // The last worker has looked again since.
  await until('nothing else is at work', async () => (await inbox.size()).busy === 3);
  expect(begun.filter((id) => hanging.includes(id))).toHaveLength(3);
  release();
  await until('the rest is handled', () => handled.length === MANY + others.length);
});

test('R-9: a cancel stops its job although other issues of the installation are at long writes', async () => {
  let run = '';
  const { begun, written } = await seedBacklog(async () => {
    const last = await desk.begin();
    run = last.run;
    return last;
  });
  work();
  await until('the backlog is begun', () => begun.length === 3);
  const at = new Date(desk.clock.ms).toISOString();
  const cancel = { type: 'command', command: { name: 'cancel' }, by: 'olivia', via: 'comment', at } as const;
  await handleInput(desk.deps, run, cancel, ['cancel']);
  const isStopped = () =>
    desk.exchanges.some(({ call }) => call.method === 'POST' && call.path.endsWith('/cancel'));
  await until('the job is stopped', isStopped);
  expect([written, begun.length]).toEqual([[], 3]);
  release?.();
  await until('the rest is written', () => written.length > MANY);
});

/** The dependencies of a desk of its own, and how often it asked for the lease of reconcile and reconciled. */
function watchReconcile() {
  const { store } = desk.deps;
  const watched = {
    asked: 0,
    rounds: 0,
    deps: {
      ...desk.deps,
      store: {
        ...store,
        async leaseTask(...args: Parameters<typeof store.leaseTask>) {
          const isLeased = await store.leaseTask(...args);
          watched.asked += 1;
          return isLeased;
        },
        runs: {
          ...store.runs,
          placed(...phases: Parameters<typeof store.runs.placed>) {
            watched.rounds += 1;
            return store.runs.placed(...phases);
          },
        },
      },
    },
  };
  return watched;
}
