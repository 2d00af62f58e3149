import { Octokit } from '@octokit/rest';
import { expect, test } from 'vitest';
import { repeatFailed } from '../../../src/github/client/repeat-failed.ts';

const silent = () => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };

/** A GitHub that fails each call after the given time. Returns when the calls began. */
async function callsWith(fail: () => Response, afterMs: number, request = {}): Promise<number[]> {
  let ms = 0;
  const begun: number[] = [];
  const fetch = async () => {
    begun.push(ms);
    ms += afterMs;
    return fail();
  };
  const sleep = async (wait: number) => {
    ms += wait;
  };
  const Repeating = Octokit.plugin(repeatFailed({ monotonicMs: () => ms, sleep }));
  const octokit = new Repeating({ log, request: { fetch } });
  await expect(octokit.request('GET /app', { request })).rejects.toMatchObject({
    status: expect.any(Number),
  });
  return begun;
}

function timeOut(): never {
  throw new DOMException('The operation was aborted due to timeout', 'TimeoutError');
}

const answer = (status: number, headers = {}) => Response.json({ message: 'no' }, { status, headers });

test('R-1: a call that timed out is not repeated, because reconcile comes again every minute', async () => {
  expect(await callsWith(timeOut, 30_000)).toEqual([0]);
});

test('R-10: a call that fails at once is repeated for a quarter of a minute, a slow one once', async () => {
  expect(await callsWith(() => answer(502), 0)).toEqual([0, 1_000, 5_000, 14_000]);
  expect(await callsWith(() => answer(502), 10_000)).toEqual([0, 11_000]);
});

test.each([
  ['a limit', 429],
  ['a refusal', 409],
  ['a refusal', 422],
])('R-10: %s (%i) is not repeated', async (_, status) => {
  expect(await callsWith(() => answer(status), 0)).toEqual([0]);
});

test('R-10: an outage that says how long to wait is not repeated', async () => {
  expect(await callsWith(() => answer(503, { 'retry-after': '120' }), 0)).toEqual([0]);
});

test('R-2: a call that must not be made twice is not repeated', async () => {
  expect(await callsWith(() => answer(502), 0, { retries: 0 })).toEqual([0]);
});
