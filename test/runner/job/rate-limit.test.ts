import { expect, test } from 'vitest';
import type { Orders } from '../../../src/core/contracts/orders.ts';
import { loadCheckpoint } from '../../../src/runner/checkpoint/checkpoint.ts';
import type { Job } from '../../../src/runner/job/job.ts';
import { noteRateLimit, waitOutRateLimit } from '../../../src/runner/job/rate-limit.ts';
import { makeTemporaryDirectory } from '../temporary-worktree.ts';

/** A job whose clock advances by ten seconds with each look at its orders. */
function makeJob(options: { orders?: (asked: number) => Orders['do']; notBefore?: number } = {}) {
  const clock = { ms: 0, asked: 0 };
  const parking = new AbortController();
  const job = {
    runDir: makeTemporaryDirectory(),
    notBefore: options.notBefore,
    now: () => new Date(clock.ms),
    parking: parking.signal,
    settings: { tickMs: 1 },
    onProgress: () => undefined,
    link: {
      async orders() {
        clock.ms += 10_000;
        clock.asked += 1;
        return { do: options.orders?.(clock.asked) ?? 'work' };
      },
    },
  } as unknown as Job;
  return { job, clock, parking };
}

const limited = (retry_after_s?: number) =>
  ({ type: 'ended', ok: false, reason: 'rate_limit', retry_after_s }) as const;

test.each([
  [0.12, 120],
  [45, 45_000],
  [undefined, 30_000],
  [1e9, 600_000],
])('E-7: %s seconds are waited for %i ms, and the next job knows', (seconds, ms) => {
  const { job } = makeJob();
  noteRateLimit(job, 'codex', limited(seconds));
  expect(job.notBefore).toBe(ms);
  expect(Date.parse(loadCheckpoint(job.runDir).not_before ?? '')).toBe(ms);
});

test('E-7: nothing else makes the next turn wait', async () => {
  const { job, clock } = makeJob();
  noteRateLimit(job, 'codex', { ...limited(), reason: 'api_error' });
  expect(await waitOutRateLimit(job)).toBe(false);
  expect(clock.asked).toBe(0);
});

test('E-7: the wait is over with its time, and is not waited again', async () => {
  const { job, clock } = makeJob({ notBefore: 45_000 });
  expect(await waitOutRateLimit(job)).toBe(true);
  expect(clock.ms).toBe(50_000);
  expect(await waitOutRateLimit(job)).toBe(false);
  expect(loadCheckpoint(job.runDir).not_before).toBeUndefined();
});

test('E-7: a checkpoint that says more than the longest wait is not believed', async () => {
  const { job, clock } = makeJob({ notBefore: 1e12 });
  expect(await waitOutRateLimit(job)).toBe(true);
  expect(clock.ms).toBe(600_000);
});

test('E-7: a command to stop or to pause is obeyed at once', async () => {
  const { job, clock } = makeJob({ notBefore: 1e6, orders: (asked) => (asked === 3 ? 'stop' : 'work') });
  expect(await waitOutRateLimit(job)).toBe(true);
  expect(clock.asked).toBe(3);
  const parked = makeJob({ notBefore: 1e6 });
  parked.parking.abort();
  expect(await waitOutRateLimit(parked.job)).toBe(true);
  expect(parked.clock.asked).toBe(0);
});
