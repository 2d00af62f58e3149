import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openParkedRuns, type ParkedRuns } from '../../../bench/parked-runs.ts';
import { handleInput } from '../../../src/app/handle-input.ts';
import { startWorkers, type Workers } from '../../../src/app/workers/workers.ts';

const REPOSITORIES = 12;
/** Those before it in the list belong to another installation. */
const FIRST_HEALTHY = 11;
const HANGING = 101;
/** GitHub answers at once here, so that everything else is done after this many turns of the event loop. */
const IDLE_TURNS = 20;

let desk: ParkedRuns;
let workers: Workers | undefined;
let began: number;
/** The seconds at which the comments of a repository were asked for, by its number. */
let reads: Map<number, number[]>;
let answer: PromiseWithResolvers<void>;
beforeEach(async () => {
  desk = await openParkedRuns({ repositories: REPOSITORIES, runs: REPOSITORIES });
  began = desk.clock.ms;
  reads = new Map();
  answer = Promise.withResolvers();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(async () => {
  await workers?.stop();
  vi.useRealTimers();
  await desk.close();
});

const numberOf = (repo: string) => Number(repo.replace('shop-', ''));
const secondsNow = () => (desk.clock.ms - began) / 1_000;
const readsOf = (number: number) => reads.get(number) ?? [];

/** Until GitHub answers, the comments of these cannot be read. */
function hang(hangs: (number: number) => boolean): void {
  const { github, repositories } = desk.deps;
  desk.deps.repositories = async () => {
    const listed = await repositories();
    const moved = listed.repositories.map((one) =>
      numberOf(one.repo) < FIRST_HEALTHY ? { ...one, installation_id: HANGING } : one,
    );
    return { ...listed, repositories: moved };
  };
  desk.deps.github = async (repository) => {
    const client = await github(repository);
    const number = numberOf(repository.repo);
    return {
      ...client,
      async commentsOfAll(...args) {
        reads.set(number, [...readsOf(number), secondsNow()]);
        if (hangs(number)) await answer.promise;
        return client.commentsOfAll(...args);
      },
    };
  };
}

async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    desk.clock.ms += 1_000;
    vi.advanceTimersByTime(1_000);
    await idle();
  }
}

async function idle(): Promise<void> {
  for (let turn = 0; turn < IDLE_TURNS; turn += 1) await setImmediate();
}

async function work(): Promise<void> {
  workers = startWorkers(desk.deps, async () => undefined);
  await idle();
}

test('R-14: while all repositories of an installation hang, those of another one are read every minute', async () => {
  hang((number) => number < FIRST_HEALTHY);
  await work();
  await pass(5 * 60);
  for (const number of [FIRST_HEALTHY, FIRST_HEALTHY + 1]) {
    const [first = Number.POSITIVE_INFINITY, ...later] = readsOf(number);
    expect(first).toBeLessThan(10);
    expect(later).toEqual([60, 120, 180, 240, 300]);
  }
});

test('R-14: a repository that hangs is read again when it has answered, and not before', async () => {
  hang((number) => number === 1);
  await work();
  await pass(150);
  expect(readsOf(1)).toEqual([0]);
  answer.resolve();
  await pass(60);
  expect(readsOf(1)).toEqual([0, 180]);
});

test('R-1: repositories with runs are read though the list of repositories does not come', async () => {
  hang(() => false);
  desk.deps.repositories = () => new Promise(() => undefined);
  await work();
  await pass(130);
  expect(readsOf(1)).toEqual([5, 60, 120]);
});

test('R-1: timers wait for what people may have said meanwhile, some minutes at most', async () => {
  hang((number) => number === 1);
  const fired: number[] = [];
  const { store } = desk.deps;
  const timers: typeof store.timers = {
    ...store.timers,
    due(most) {
      fired.push(secondsNow());
      return store.timers.due(most);
    },
  };
  desk.deps.store = { ...store, timers };
  await work();
  await pass(30);
  expect(fired).toEqual([]);
  answer.resolve();
  await pass(2);
  expect(fired[0]).toBeLessThanOrEqual(32);
  await workers?.stop();

  fired.length = 0;
  answer = Promise.withResolvers();
  await work();
  await pass(6 * 60);
  expect(fired[0]).toBeGreaterThan(200);
});

test('R-14: a comment that cannot be read again keeps no timer of another run waiting', async () => {
  const { github, store } = desk.deps;
  const [slow = '', other = ''] = (await store.runs.placed('waiting')).map(({ run }) => run);
  const timers = [
    { run: slow, timer: `restore:${slow}.status`, seconds: 80 },
    { run: other, timer: 'anything', seconds: 81 },
  ];
  for (const { run, timer, seconds } of timers) {
    const at = new Date(began + seconds * 1_000).toISOString();
    await handleInput(desk.deps, run, { type: 'write', at, effects: [{ type: 'set_timer', timer, at }] });
  }
  await work();
  await pass(70);
  let asked = 0;
  desk.deps.github = async (repository) => ({
    ...(await github(repository)),
    async comment() {
      asked += 1;
      await answer.promise;
      return undefined;
    },
  });
  await pass(20);
  const left = await store.timers.due(10);
  answer.resolve();
  await pass(2);
  expect(left.map(({ run }) => run)).toEqual([slow]);
  expect(asked).toBe(1);
  expect(await store.timers.due(10)).toEqual([]);
});
