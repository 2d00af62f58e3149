import { afterEach, beforeEach, expect, test } from 'vitest';
import { aliveMark } from '../../src/core/ports/job-api.ts';
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

test('/metrics: queues, runs, jobs and questions in figures, and none of what is built or said', async () => {
  const run = askingRun('url');
  await desk.seed(run);
  await desk.store.marks.set(aliveMark('r1', 1), new Date(START - 200_000).toISOString());
  await desk.store.inbox.put([
    {
      id: 'd',
      event: 'issues',
      payload: '{"canary":1}',
      lane: 'app',
      received_at: new Date(START).toISOString(),
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
    'autobuild_resolution_rate 0',
    'autobuild_deliveries_total 0',
    'autobuild_effect_retries_total 0',
  ])
    expect(lines).toContain(line);
  expect(text).not.toMatch(/canary|login page|rosa|shop/);
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
  expect((await get('/')).status).toBe(404);
  expect((await get('/api/jobs')).status).toBe(401);
});
