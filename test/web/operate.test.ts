import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../../src/store/hosted/database.ts';
import { createHostedStore } from '../../src/store/hosted/hosted-store.ts';
import type { Tables } from '../../src/store/hosted/tables.ts';
import { createNodeSqliteDialect } from '../../src/store/node-sqlite-dialect.ts';
import { createSealer } from '../../src/store/seal.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { createCounters } from '../../src/web/counters.ts';
import { createOperate } from '../../src/web/operate.ts';
import { askingRun, openTestDesk, START, type TestDesk } from './desk.ts';

let desk: TestDesk;

beforeEach(async () => {
  desk = await openTestDesk();
});
afterEach(() => desk.close());

async function get(path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${desk.url}${path}`);
  return { status: response.status, text: await response.text() };
}

test('/healthz: well while the store answers and all workers live', async () => {
  expect((await get('/healthz')).status).toBe(200);
  desk.workers.push({ name: 'outbox', alive: false });
  const sick = await get('/healthz');
  expect(sick.status).toBe(503);
  expect(JSON.parse(sick.text)).toEqual({ ok: false, store: true, dead_workers: ['outbox'] });
});

test('R-12: /healthz says that the store is away, and /metrics is a 503', async () => {
  await desk.store.close();
  const sick = await get('/healthz');
  expect(sick.status).toBe(503);
  expect(JSON.parse(sick.text)).toMatchObject({ store: false });
  expect((await get('/metrics')).status).toBe(503);
});

test('R-12: /healthz, which writes, is asked by anybody: those of one second share a probe', async () => {
  const { store } = desk;
  let [probes, ms] = [0, 0];
  const counted = { ...store, probe: () => store.probe().finally(() => (probes += 1)) };
  const operate = createOperate({
    store: counted,
    counters: createCounters(),
    workers: () => [],
    now: () => new Date(ms),
  });
  const ask = () => Promise.all(Array.from({ length: 50 }, () => operate.request('/healthz')));
  expect((await ask()).every(({ ok }) => ok)).toBe(true);
  expect(probes).toBe(1);
  ms += 1_000;
  await ask();
  expect(probes).toBe(2);
});

/** An empty directory for a store of its own. */
function emptyDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'autobuild-health-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test('R-12: /healthz says that the store is read-only, although it answers what it is asked', async () => {
  const file = join(emptyDirectory(), 'desk.db');
  const key = randomBytes(32).toString('base64');
  await (await openSqliteStore({ file, key })).close();
  const connection = new DatabaseSync(file, { readOnly: true });
  const db = new Kysely<Tables>({ dialect: createNodeSqliteDialect(connection, 100) });
  const database = createDatabase({ db, dialect: 'sqlite', notify: async () => undefined });
  const store = createHostedStore(database, createSealer(key), () => db.destroy());
  onTestFinished(() => store.close());
  const operate = createOperate({
    store,
    counters: createCounters(),
    workers: () => [],
    now: () => new Date(),
  });
  expect(await store.runs.list(1)).toEqual([]);
  const sick = await operate.request('/healthz');
  expect(sick.status).toBe(503);
  expect(await sick.json()).toEqual({ ok: false, store: false, dead_workers: [] });
});

test('R-12: /healthz says that the disk of the store is full', () => {
  const script = join(import.meta.dirname, 'full-store.ts');
  const key = randomBytes(32).toString('base64');
  const args = [process.execPath, script, join(emptyDirectory(), 'desk.db'), key];
  const out = execFileSync('bash', ['-c', 'ulimit -f 2000 && exec "$0" "$@"', ...args], { encoding: 'utf8' });
  expect(JSON.parse(out)).toEqual({
    before: { status: 200, ok: true, store: true, dead_workers: [] },
    refused: 'StoreUnavailableError',
    after: { status: 503, ok: false, store: false, dead_workers: [] },
    reads: true,
  });
});

test('/metrics: queues, runs, jobs and questions in figures, and none of what is built or said', async () => {
  const run = askingRun('url');
  await desk.seed(run);
  const { op } = (await desk.store.dispatches.ofJob('r1', 1, 'build')) ?? expect.fail();
  await desk.store.dispatches.change(op, { heard_at: new Date(START - 200_000).toISOString() });
  await desk.store.inbox.put([
    {
      id: 'd',
      event: 'issues',
      payload: '{"canary":1}',
      lane: 'app',
      received_ms: START,
    },
  ]);
  const { status, text } = await get('/metrics');
  expect(status).toBe(200);
  const lines = text.split('\n');
  for (const line of [
    'autobuild_queue_items{queue="inbox",state="waiting"} 1',
    'autobuild_active_runs{status="waiting_for_input"} 1',
    'autobuild_waiting_runs 1',
    'autobuild_live_jobs 1',
    'autobuild_silent_jobs 1',
    'autobuild_job_silence_seconds_max 200',
    'autobuild_questions{state="asked"} 1',
    'autobuild_questions_by_type{type="need_help"} 1',
    'autobuild_deliveries_total 0',
    'autobuild_effect_retries_total 0',
  ])
    expect(lines).toContain(line);
  expect(text).not.toMatch(/canary|login page|rosa|shop/);
  // The question is open for less than an hour.
  expect(text).not.toContain('autobuild_resolution_rate');
  // Every line is a comment or a sample.
  for (const line of lines.slice(0, -1))
    expect(line).toMatch(/^# (HELP|TYPE) \w+ .+|^\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? -?[\d.]+(e[+-]\d+)?$/);
});

test('P-10: /metrics says how long people take to answer', async () => {
  const run = askingRun('url');
  run.sleep(60).say('/provide url=x');
  await desk.seed(run);
  const { text } = await get('/metrics');
  expect(text).toContain('autobuild_answer_seconds_median 61\n');
  expect(text).toContain('autobuild_resolution_rate 1\n');
});

test('/metrics: the store is asked once in a while, however often someone looks', async () => {
  const first = await get('/metrics');
  await desk.seed(askingRun('url'));
  expect((await get('/metrics')).text).toBe(first.text);
  desk.clock.ms += 5_000;
  expect((await get('/metrics')).text).toContain('autobuild_waiting_runs 1');
});

test('anything else is not there', async () => {
  expect((await get('/nothing')).status).toBe(404);
  expect((await get('/api/jobs')).status).toBe(401);
});

test('R-14: /metrics tells how many calls GitHub still allows each installation', async () => {
  const operate = createOperate({
    store: desk.store,
    counters: createCounters(),
    budgets: () => [{ installation: 7, resource: 'core', limit: 5_000, remaining: 4_321 }],
    workers: () => [],
    now: () => new Date(START),
  });
  const text = await (await operate.request('/metrics')).text();
  expect(text).toContain('autobuild_github_calls_remaining{installation="7",resource="core"} 4321');
  expect(text).toContain('autobuild_github_calls_limit{installation="7",resource="core"} 5000');
});
