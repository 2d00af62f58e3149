import { afterEach, expect, test } from 'vitest';
import { write } from '../../../src/app/handle-input.ts';
import { workLane } from '../../../src/app/workers/work-lane.ts';
import { createQueueWorker } from '../../../src/app/workers/work-queue.ts';
import { GitHubError } from '../../../src/core/ports/github-port.ts';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';
import { endJobs } from '../end-jobs.ts';

const INSTALLED = { installation_id: 100, owner: 'olivia', repo: 'shop' };
const LONGER_THAN_LEASE_MS = 20_000;

let desk: AppDesk;
afterEach(async () => {
  if (desk) await endJobs(desk);
  await desk?.close();
});

test.each([
  ['keeps its time', 0],
  ['is set back meanwhile', -60_000],
  ['is suspended meanwhile, with a monotonic clock that stands still', undefined],
])(
  'R-2: a desk that stood still for longer than its lease does not write what another desk wrote: it %s',
  async (_, setBack) => {
    desk = await openAppDesk();
    const { issue } = await desk.seed(askingRun(['colour']));
    const { deps, store, clock } = desk;
    await write(deps, 'r1', [{ type: 'reply', reply: { tone: 'info', title: 'Said once' } }]);
    let others = 0;
    let skew = 0;
    let stood = 0;
    const standingStill: typeof deps = {
      ...deps,
      now: () => new Date(clock.ms + skew),
      monotonicMs: () => clock.ms - stood,
      store: {
        ...store,
        comments: {
          ...store.comments,
          async save(op, change) {
            const saved = await store.comments.save(op, change);
            if (others === 0) {
              others += 1;
              clock.ms += LONGER_THAN_LEASE_MS;
              if (setBack === undefined) stood = LONGER_THAN_LEASE_MS;
              else skew = setBack;
              await workLane(deps);
            }
            return saved;
          },
        },
      },
    };
    await workLane(standingStill);
    await desk.settle();
    expect(others).toBe(1);
    const comments = await (await deps.github(INSTALLED)).comments(issue);
    expect(comments.filter(({ body }) => body.includes('Said once'))).toHaveLength(1);
  },
);

test('R-2: a desk whose write waits in a queue for longer than its lease does not write what another desk wrote', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  const { deps, clock } = desk;
  await write(deps, 'r1', [{ type: 'reply', reply: { tone: 'info', title: 'Said once' } }]);
  let others = 0;
  const queueing: typeof deps = {
    ...deps,
    async github(repository, mayWrite) {
      const github = await deps.github(repository, mayWrite);
      return {
        ...github,
        async createComment(...given) {
          if (others === 0) {
            others += 1;
            clock.ms += LONGER_THAN_LEASE_MS;
            await workLane(deps);
          }
          return github.createComment(...given);
        },
      };
    },
  };
  await workLane(queueing);
  await desk.settle();
  expect(others).toBe(1);
  const comments = await (await deps.github(INSTALLED)).comments(issue);
  expect(comments.filter(({ body }) => body.includes('Said once'))).toHaveLength(1);
});

test('R-2: an error by which the desk must stop ends its work, and is not filed as a failure of the effect', async () => {
  desk = await openAppDesk();
  await desk.seed(askingRun(['colour']));
  const { deps, store } = desk;
  await write(deps, 'r1', [{ type: 'reply', reply: { tone: 'info', title: 'Never said' } }]);
  const lost = new Error('another desk has the state');
  const comments = { ...store.comments, save: () => Promise.reject(lost) };
  const stopping = { ...deps, store: { ...store, comments }, mustStop: (error: unknown) => error === lost };
  await expect(workLane(stopping)).rejects.toBe(lost);
  expect(await store.outbox.retryIn()).toBeUndefined();
});

test('R-1: a webhook is handled although GitHub refused a call for it once, after an outage', async () => {
  desk = await openAppDesk();
  const { deps, store, clock } = desk;
  await store.inbox.put([{ id: 'w1', event: 'issues', payload: '{}', lane: '5#1', received_ms: clock.ms }]);
  const errors = [502, 502, 403].map((status) => new GitHubError('no', { status }));
  let handled = 0;
  const work = async () => {
    const error = errors.shift();
    if (error) throw error;
    handled += 1;
  };
  const look = createQueueWorker({ queue: store.inbox, name: 'inbox', work, log: deps.log });
  for (let time = 0; time < 4; time += 1) {
    await look();
    clock.ms += 60_000;
  }
  expect(handled).toBe(1);
});

test('R-13: the last words of a run are written although GitHub refused them for a while, each once', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  await desk.olivia.comment(issue, '/cancel');
  const isComment = ({ method, path }: { method: string; path: string }) =>
    method !== 'GET' && /\/issues\/(\d+\/)?comments/.test(path);
  desk.interfere((call) =>
    isComment(call) ? { status: 403, body: { message: 'Resource not accessible' } } : undefined,
  );
  for (let time = 0; time < 6; time += 1) {
    await desk.settle();
    desk.clock.ms += 60_000;
  }
  const bodies = async () => (await desk.olivia.comments(issue)).map(({ body }) => body);
  expect((await bodies()).filter((body) => body.includes(':receipt '))).toEqual([]);
  desk.interfere(() => undefined);
  desk.clock.ms += 600_000;
  await desk.settle();
  const written = await bodies();
  expect(written.filter((body) => body.includes(':receipt '))).toHaveLength(1);
  expect(written.find((body) => body.includes(':status '))).toContain('Cancelled');
  expect(written.find((body) => body.includes(':escalation '))).not.toContain('- [ ]');
});

test('R-10: a job asked for after an outage does not wait for the retry of the one before it', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']).park());
  const isDispatch = (path: string) => path.endsWith('/dispatches');
  desk.interfere(({ path }) => (isDispatch(path) ? { status: 502, body: { message: 'down' } } : undefined));
  const dispatched = (isTaken: boolean) =>
    desk.exchanges.filter(({ call, answer }) => isDispatch(call.path) && answer.status < 300 === isTaken);
  await desk.olivia.comment(issue, '/provide colour=red');
  await desk.settle();
  for (let seconds = 0; dispatched(false).length < 11; seconds += 30) {
    expect(seconds).toBeLessThan(3_600);
    desk.clock.ms += 30_000;
    await desk.settle();
  }
  desk.interfere(() => undefined);
  for (const command of ['/pause', '/continue']) {
    await desk.olivia.comment(issue, command);
    await desk.settle();
  }
  expect(dispatched(true)).toHaveLength(1);
});
