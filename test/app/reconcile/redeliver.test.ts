import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { redeliverFailed } from '../../../src/app/reconcile/redeliver.ts';
import { createQueueWorker } from '../../../src/app/workers/work-queue.ts';
import type { Delivery } from '../../../src/core/ports/inbox.ts';
import { refuse } from '../../../src/sandbox/github/gap.ts';
import { createCounters } from '../../../src/web/counters.ts';
import { createIngest } from '../../../src/web/ingest.ts';
import { createLog } from '../../../src/web/log.ts';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const silent = createLog('silent', { write: () => undefined });

let desk: AppDesk;
let server: Server;
let issue: number;
/** What the App's server answers; undefined: it takes the webhook. */
let trouble: number | undefined;

beforeEach(async () => {
  desk = await openAppDesk();
  const { github, store, deps } = desk;
  const ingest = createIngest({
    secret: github.webhookSecret,
    inbox: store.inbox,
    now: deps.now,
    log: silent,
    counters: createCounters(),
  });
  trouble = undefined;
  server = createServer((request, response) => {
    if (trouble === undefined) void ingest.handle(request, response, 'request-1');
    else response.writeHead(trouble).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  github.webhooks.to([`http://127.0.0.1:${(server.address() as AddressInfo).port}/`]);
  ({ issue } = await desk.seed(askingRun(['colour'])));
  await github.webhooks.settled();
  await drain(async () => undefined);
  // From here on what comes is what comes over HTTP.
  desk.loseWebhooks(true);
  trouble = 500;
});
afterEach(async () => {
  await desk.close();
  server.closeAllConnections();
  server.close();
});

/** Looks once, `minutes` later, and handles what comes of it. */
async function look(minutes = 6): Promise<void> {
  desk.clock.ms += minutes * MINUTE_MS;
  await redeliverFailed(desk.deps);
  await desk.github.webhooks.settled();
  await drain(({ id, event, payload }) => desk.receive(event, JSON.parse(payload), id));
  await desk.settle();
}

async function drain(work: (delivery: Delivery) => Promise<void>): Promise<void> {
  const { deps, store } = desk;
  const { log } = deps;
  const next = createQueueWorker({ queue: store.inbox, name: 'inbox', work, log });
  for (let more = true; more; ) more = await next();
}

async function comment(text: string) {
  const { webhooks, heard } = desk.github;
  await desk.olivia.comment(issue, text);
  await heard();
  await webhooks.settled();
  const sent = webhooks.deliveries.findLast(({ payload }) => JSON.stringify(payload).includes(text));
  if (!sent) throw new Error('GitHub said nothing of the comment');
  return sent;
}

test('R-1: a command whose webhook failed is acted on once the App is back: GitHub is asked to send it again', async () => {
  const sent = await comment('/provide colour=blue');
  expect(sent.statuses).toEqual([500]);
  trouble = undefined;
  await look();
  expect(sent.statuses).toEqual([500, 202]);
  const state = await desk.state();
  expect(state.status).toBe('building');
  expect(state.escalations[0]?.responses).toHaveLength(1);
  await look();
  expect(sent.statuses).toHaveLength(2);
});

test('R-1: nobody listened at all', async () => {
  const urls = [...desk.github.webhooks.targets()];
  desk.github.webhooks.to([]);
  const sent = await comment('/provide colour=blue');
  expect(sent.statuses).toEqual([0]);
  desk.github.webhooks.to(urls);
  trouble = undefined;
  await look();
  expect((await desk.state()).status).toBe('building');
});

test('the same webhook is asked for three times at most, and that is said once', async () => {
  const sent = await comment('/provide colour=blue');
  for (let time = 0; time < 6; time += 1) await look();
  expect(sent.statuses).toEqual([500, 500, 500, 500]);
  const said = desk.logged().split('\n');
  const given = said.filter((line) => line.includes(sent.id) && line.includes('fails each time'));
  expect(given).toHaveLength(1);
});

test('GitHub is looked at every few minutes, not at every reconcile', async () => {
  await comment('/status');
  await look();
  await look(1);
  await look(1);
  const lists = desk.exchanges.filter(({ call }) => call.path === '/app/hook/deliveries');
  expect(lists).toHaveLength(1);
});

test('what came all the same, though GitHub did not hear so, is not asked for', async () => {
  const { id, statuses } = await comment('/provide colour=blue');
  const received_ms = desk.deps.now().getTime();
  await desk.store.inbox.put([{ id, event: 'issue_comment', payload: '{}', lane: 'app', received_ms }]);
  await redeliverFailed(desk.deps);
  await desk.github.webhooks.settled();
  expect(statuses).toEqual([500]);
});

test('what is older than three days is left', async () => {
  const { statuses } = await comment('/provide colour=blue');
  desk.clock.ms += 3 * DAY_MS;
  await look();
  expect(statuses).toEqual([500]);
  expect(desk.exchanges.some(({ call }) => call.path === '/app/hook/deliveries')).toBe(true);
});

test('a GitHub without these calls is told of once, and the rest of reconcile goes on', async () => {
  await comment('/provide colour=blue');
  desk.interfere(({ path }) => (path === '/app/hook/deliveries' ? refuse(404, 'Not Found') : undefined));
  for (let time = 0; time < 3; time += 1) await look();
  expect(desk.logged().split('cannot be asked for again').length - 1).toBe(1);
  await desk.reconcile();
  expect((await desk.state()).status).toBe('building');
});

test('R-1: many failed webhooks do not delay the polling, and some are asked for again in each round', async () => {
  await comment('/provide colour=blue');
  const delivered_at = desk.deps.now().toISOString();
  const failed = Array.from({ length: 120 }, (_, index) => ({
    id: `${index}`,
    guid: `g${index}`,
    delivered_at,
  }));
  const asked = new Set<string>();
  const askedBefore: number[] = [];
  const { github } = desk.deps;
  desk.deps.github = async (repository) => {
    const client = await github(repository);
    return {
      ...client,
      commentsOfAll(...args) {
        askedBefore.push(asked.size);
        return client.commentsOfAll(...args);
      },
    };
  };
  desk.deps.deliveries = {
    failedSince: async () => ({ failed: failed.filter(({ id }) => !asked.has(id)), complete: true }),
    redeliver: async (id) => void asked.add(id),
  };
  for (let round = 0; round < 4; round += 1) await desk.reconcile();
  expect(askedBefore).toEqual([0, 50, 100, 120]);
});

test('one that GitHub does not send again does not hold up the others', async () => {
  const [first, second] = [await comment('/status'), await comment('/provide colour=blue')];
  trouble = undefined;
  let refused = false;
  desk.interfere(({ path }) => {
    if (!path.endsWith('/attempts') || refused) return undefined;
    refused = true;
    return refuse(422, 'Validation Failed');
  });
  await look();
  expect([first.statuses, second.statuses]).toEqual([[500], [500, 202]]);
});

test('a command of before the run, sent again, is not taken for one to it', async () => {
  const { repo_id } = (await desk.store.runs.target('r1')) ?? { repo_id: 0 };
  const { statuses } = await comment('/cancel');
  // The run it was meant for is over, and another one has begun since.
  const later = askingRun(['size'], { startMs: Date.now() + MINUTE_MS });
  for (const [version, commit] of later.commits.entries())
    await desk.store.runs.commit('r2', version, {
      ...commit,
      target: version === 0 ? await desk.store.runs.target('r1') : undefined,
    });
  expect(await desk.store.runs.ofIssue(repo_id, issue)).toBe('r2');
  trouble = undefined;
  await look();
  expect(statuses).toEqual([500, 202]);
  expect((await desk.state('r2')).status).toBe('waiting_for_input');
});
