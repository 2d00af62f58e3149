import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleepFor } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHttpLink, type HttpLink, type HttpLinkOptions, JobOverError } from '../../src/link/http.ts';
import { RunOverError } from '../../src/link/post-claim.ts';
import { LinkRefusedError } from '../../src/link/retry-request.ts';
import { PASSING, type Run, startRun } from '../core/run-builder.ts';
import { askingRun, openTestDesk, type TestDesk } from '../web/desk.ts';

let desk: TestDesk;
let run: Run;
let seeded: number;
const links: HttpLink[] = [];

beforeEach(async () => {
  desk = await openTestDesk();
  run = askingRun('url');
  await desk.seed(run);
  seeded = run.commits.length;
});
afterEach(async () => {
  await Promise.all(links.splice(0).map((link) => link.close()));
  await desk.close();
});

async function link(options: Partial<HttpLinkOptions> = {}): Promise<HttpLink> {
  const created = await createHttpLink({
    baseUrl: desk.url,
    ticket: await desk.ticket(),
    actionsRun: 900,
    attempt: 1,
    now: () => new Date(),
    ...options,
  });
  links.push(created);
  return created;
}

/** What the run went through since it was stored. */
async function commitNew(): Promise<void> {
  for (const commit of run.commits.slice(seeded)) {
    const { version } = await desk.store.runs.load('r1');
    await desk.store.runs.commit('r1', version, commit);
  }
  seeded = run.commits.length;
}

async function answer(): Promise<void> {
  run.say('/guide the other one');
  await commitNew();
}

const frozen = () => run.envelope('agent_frozen', { escalation: 'e1', processes: 1, ms: 1 });
const frozenEvents = async () =>
  (await desk.store.runs.events('r1')).filter(({ commit }) => commit.events[0]?.type === 'agent_frozen')
    .length;

test('claims, reports and reads orders, values and blobs', async () => {
  const job = await link();
  expect(job.claimed).toMatchObject({ kind: 'build', brief: { run: 'r1', job: 1 }, place: { issue: 7 } });
  expect('token' in job.claimed).toBe(false);
  expect(await job.orders()).toEqual({ do: 'wait', escalation: 'e1' });
  expect(await job.report(frozen())).toEqual({ do: 'wait', escalation: 'e1' });
  const ref = await desk.store.vault.put('r1', 'url', 'https://x');
  expect(await job.openInputs([ref])).toEqual({ url: 'https://x' });
  expect(await job.getBlob('checkpoint')).toBeUndefined();
  await job.putBlob('checkpoint', Uint8Array.of(1, 2, 3));
  expect(await job.getBlob('checkpoint')).toEqual(Uint8Array.of(1, 2, 3));
});

test('the fresh job sends what it verified, by the digest of what it read', async () => {
  await desk.store.blobs.put('r1', 'changeset', Buffer.from('the work'));
  const job = await link({ ticket: await desk.ticket({ kind: 'verify' }) });
  const read = await job.getBlob('changeset');
  await expect(job.sendVerification(PASSING, Buffer.from('other work'))).rejects.toMatchObject({
    status: 409,
  });
  await expect(job.sendVerification(PASSING, undefined)).rejects.toMatchObject({ status: 409 });
  await job.sendVerification(PASSING, read);
  const last = (await desk.store.runs.events('r1')).at(-1);
  expect(last?.commit.input).toMatchObject({ type: 'verification', verification: { ok: true } });
});

test('work that is not taken any more is no error of the job', async () => {
  const job = await link();
  expect(await job.putBlob('checkpoint', Uint8Array.of(1))).toBe(true);
  run.say('/cancel');
  await commitNew();
  expect(await job.putBlob('checkpoint', Uint8Array.of(2))).toBe(false);
});

test('R-9: a job that comes after the end of its run is told how the run ended, and asks no further', async () => {
  run.say('/cancel');
  await commitNew();
  const retries: string[] = [];
  const late = link({ onRetry: (problem) => retries.push(problem) });
  await expect(late).rejects.toThrow(RunOverError);
  await expect(late).rejects.toMatchObject({ status: 'cancelled', message: expect.stringContaining('over') });
  expect(retries).toEqual([]);
});

test('a desk that waits for GitHub’s word is asked again', async () => {
  const ticket = await desk.ticket();
  await link({ ticket });
  desk.clock.ms += 60_000;
  desk.attempts[900] = new Error('GitHub is away');
  const retries: string[] = [];
  const second = link({
    ticket,
    attempt: 2,
    sleep: async () => {
      desk.clock.ms += 10_000;
      desk.attempts[900] = 2;
    },
    onRetry: (problem) => retries.push(problem),
  });
  expect((await second).claimed.brief.job).toBe(1);
  expect(retries).toHaveLength(1);
  expect(retries[0]).toContain('503');
});

describe('waiting', () => {
  test('E-16: an answer ends it', async () => {
    const job = await link();
    const waiting = job.ordersAfterWait(new AbortController().signal);
    await answer();
    expect(await waiting).toMatchObject({ do: 'work' });
    expect(await job.orders()).toMatchObject({ do: 'work' });
  });

  test('what is not an answer does not', async () => {
    const job = await link();
    const waiting = job.ordersAfterWait(AbortSignal.timeout(400));
    run.timer();
    await commitNew();
    expect(await waiting).toEqual({ do: 'wait', escalation: 'e1' });
  });

  test('it ends with the signal, and an answer of the last moment is taken', async () => {
    const job = await link({
      // Polls hang: only the last look gets through.
      fetch: (url, init) => (String(url).includes('wait=25') ? never(init?.signal) : fetch(url, init)),
    });
    expect(await job.ordersAfterWait(AbortSignal.abort())).toEqual({ do: 'wait', escalation: 'e1' });
    await answer();
    expect(await job.ordersAfterWait(AbortSignal.abort())).toMatchObject({ do: 'work' });
  });

  test('R-5: a job that was replaced is told so', async () => {
    const job = await link();
    const waiting = job.ordersAfterWait(new AbortController().signal);
    waiting.catch(() => undefined);
    run.lose().startJob();
    await commitNew();
    await expect(waiting).rejects.toThrow(LinkRefusedError);
    await expect(job.orders()).rejects.toMatchObject({ status: 401 });
    await expect(job.report(frozen())).rejects.toMatchObject({ status: 401 });
  });

  test('R-5: a job that was given up as lost learns it before it has a successor', async () => {
    const job = await link();
    const waiting = job.ordersAfterWait(new AbortController().signal);
    waiting.catch(() => undefined);
    run.lose();
    await commitNew();
    await expect(waiting).rejects.toThrow(JobOverError);
    await expect(job.putBlob('checkpoint', Uint8Array.of(1))).rejects.toThrow('This job is over');
  });

  test.each(['parked', 'handed_over'] as const)(
    'P-7: a job that has %s is not refused for it',
    async (type) => {
      const asked: string[] = [];
      const listening: typeof fetch = (url, init) => {
        asked.push(new URL(String(url)).pathname);
        return fetch(url, init);
      };
      const beat = Promise.withResolvers<void>();
      const job = await link({ fetch: listening, sleep: () => beat.promise });
      await expect.poll(() => asked.at(-1)).toContain('/orders');
      const last = run.envelope(type, { guards: run.meter.states() });
      expect(await job.report(last)).toEqual({ do: 'park' });
      expect(await job.report(last)).toEqual({ do: 'park' });
      // A heartbeat that comes late is refused, and that is no news.
      beat.resolve();
      await expect.poll(() => asked.at(-1)).toContain('/heartbeat');
      await job.close();
      expect(await job.orders()).toEqual({ do: 'park' });
      expect(asked.filter((path) => path.endsWith('/orders'))).toHaveLength(1);
    },
  );
});

/** A request that hangs until it is aborted. */
function never(signal: AbortSignal | null | undefined): Promise<Response> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason));
  });
}

describe('a bad network', () => {
  const quick = { sleep: (ms: number, signal?: AbortSignal) => sleepFor(ms / 50, undefined, { signal }) };

  test('R-5: a job cut off while the desk is away still delivers, in order, once', async () => {
    const retries: string[] = [];
    const job = await link({ ...quick, onRetry: (problem) => retries.push(problem) });
    await desk.stop();
    const reports = [frozen(), frozen(), frozen()].map((envelope) => job.report(envelope));
    const settled = await Promise.race([
      Promise.all(reports),
      expect.poll(() => retries.length).toBeGreaterThan(3),
    ]);
    expect(settled).not.toHaveLength(3);
    await desk.start();
    await Promise.all(reports);
    expect(await frozenEvents()).toBe(3);
    const seqs = (await desk.store.runs.events('r1')).flatMap(({ commit: { input } }) =>
      input.type === 'claim' ? [input.envelope.seq] : [],
    );
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    // Polling goes on as well.
    await answer();
    await expect.poll(async () => (await job.orders()).do).toBe('work');
  });

  test('R-2: an answer lost after the effect repeats nothing', async () => {
    let lost = 0;
    const losing: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      if (String(url).endsWith('/report') && lost < 2) {
        lost += 1;
        throw new TypeError('connection reset');
      }
      return response;
    };
    const job = await link({ ...quick, fetch: losing });
    await job.report(frozen());
    expect(lost).toBe(2);
    expect(await frozenEvents()).toBe(1);
  });

  test('a claim whose answer was lost succeeds the second time', async () => {
    let lost = 0;
    const losing: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      if (String(url).endsWith('/claim') && lost < 1) {
        lost += 1;
        throw new TypeError('connection reset');
      }
      return response;
    };
    const job = await link({ ...quick, fetch: losing });
    expect(lost).toBe(1);
    expect(await job.report(frozen())).toMatchObject({ do: 'wait' });
  });

  test('a refusal is final: a used ticket is not tried again', async () => {
    const ticket = await desk.ticket();
    await link({ ticket });
    let claims = 0;
    const counting: typeof fetch = (url, init) => {
      claims += 1;
      return fetch(url, init);
    };
    await expect(link({ ticket, fetch: counting })).rejects.toThrow(LinkRefusedError);
    expect(claims).toBe(1);
  });
});

describe('how it tries again', () => {
  let server: Server;
  let answers: { status: number; headers?: Record<string, string> }[];
  const waits: number[] = [];
  let clock = 0;

  beforeEach(async () => {
    answers = [];
    waits.length = 0;
    clock = 0;
    server = createServer((request, response) => {
      request.resume();
      const { status, headers } = answers.shift() ?? { status: 500 };
      response.writeHead(status, headers).end('no');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  const claimAt = (giveUpMs: number) =>
    link({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      ticket: 'x'.repeat(43),
      now: () => new Date(clock),
      random: () => 1,
      giveUpMs,
      async sleep(ms) {
        waits.push(ms);
        clock += ms;
      },
    });

  test('the waits grow to a bound, and after the time allowed it gives up', async () => {
    await expect(claimAt(120_000)).rejects.toThrow(/does not answer: 500/);
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });

  test('R-10: Retry-After is honoured', async () => {
    answers = [{ status: 503, headers: { 'retry-after': '7' } }, { status: 404 }, { status: 401 }];
    await expect(claimAt(120_000)).rejects.toThrow(LinkRefusedError);
    expect(waits).toEqual([7000, 1000]);
  });

  test('a token is not carried to where a redirect points', async () => {
    answers = [{ status: 307, headers: { location: `${desk.url}/api/jobs/claim` } }, { status: 401 }];
    await expect(claimAt(120_000)).rejects.toThrow(LinkRefusedError);
    expect(answers).toEqual([]);
  });
});

test('R-5: the heartbeat comes every 30 s by itself', async () => {
  const naps: { ms: number; wake(): void }[] = [];
  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      naps.push({ ms, wake: resolve });
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  await link({ sleep });
  for (let beat = 1; beat <= 3; beat += 1) {
    await expect.poll(() => naps.length).toBe(beat);
    expect(naps.at(-1)?.ms).toBe(30_000);
    desk.clock.ms += 30_000;
    naps.at(-1)?.wake();
    await expect
      .poll(async () => (await desk.store.dispatches.ofJob('r1', 1, 'build'))?.heard_at)
      .toBe(new Date(desk.clock.ms).toISOString());
  }
});

test('nothing secret is logged on the way', async () => {
  const ticket = await desk.ticket();
  const said: string[] = [];
  const job = await link({ ticket, onRetry: (problem) => said.push(problem) });
  const ref = await desk.store.vault.put('r1', 'url', 'canary-value');
  await job.openInputs([ref]);
  const text = desk.logged() + said.join();
  for (const secret of [ticket, 'canary-value']) expect(text).not.toContain(secret);
});

test('a run at work gives work', async () => {
  await desk.close();
  desk = await openTestDesk();
  run = startRun();
  await desk.seed(run);
  expect(await (await link()).ordersAfterWait(new AbortController().signal)).toMatchObject({
    do: 'work',
    turn: 1,
  });
});
