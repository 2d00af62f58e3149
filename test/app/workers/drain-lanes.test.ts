import { afterEach, expect, test } from 'vitest';
import { write } from '../../../src/app/handle-input.ts';
import { drainLanes } from '../../../src/app/workers/drain-lanes.ts';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';

const REPLY = { type: 'reply' as const, reply: { tone: 'info' as const, title: 'Said in the end' } };
const MINUTE_MS = 60_000;

let desk: AppDesk;
afterEach(() => desk?.close());

async function failComments(
  times: number,
  headers?: Record<string, string>,
): Promise<{ issue: number; waits: number[] }> {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  let failures = 0;
  desk.interfere(({ method, path }) => {
    if (method !== 'POST' || !path.endsWith('/comments') || failures >= times) return undefined;
    failures += 1;
    return headers
      ? { status: 429, headers, body: { message: 'Too many requests' } }
      : { status: 502, body: { message: 'Bad gateway' } };
  });
  await write(desk.deps, 'r1', [REPLY]);
  const waits: number[] = [];
  await drainLanes(desk.deps, {
    until: new Date(desk.clock.ms + 2 * MINUTE_MS),
    async sleep(ms) {
      waits.push(ms);
      desk.clock.ms += ms;
    },
  });
  return { issue, waits };
}

const isSaid = async (issue: number) =>
  (await desk.olivia.comments(issue)).some(({ body }) => body.includes('Said in the end'));

test('N-1: a desk that does not stay waits for what is tried again soon', async () => {
  const { issue, waits } = await failComments(2);
  expect(waits).toEqual([1_000, 2_000]);
  expect(await isSaid(issue)).toBe(true);
});

test('N-1: it waits as long as GitHub asks for, if it has that long', async () => {
  const { issue, waits } = await failComments(1, { 'retry-after': '60' });
  expect(waits).toEqual([60_000]);
  expect(await isSaid(issue)).toBe(true);
});

test('N-1: it does not wait for what is tried again after its time, and leaves it to the next desk', async () => {
  const { issue, waits } = await failComments(7);
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000]);
  expect(await isSaid(issue)).toBe(false);
  desk.clock.ms += 2 * MINUTE_MS;
  await drainLanes(desk.deps, { until: new Date(desk.clock.ms), sleep: () => expect.fail('waits') });
  expect(await isSaid(issue)).toBe(true);
});
