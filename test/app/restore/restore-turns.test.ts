import { afterEach, expect, test } from 'vitest';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let desk: AppDesk;
afterEach(() => desk?.close());

/** A run that waits, and the hour in which it began to. */
async function seedWaiting(): Promise<{ issue: number; hour: number }> {
  desk = await openAppDesk();
  const hour = Math.ceil(desk.clock.ms / HOUR_MS);
  desk.clock.ms = hour * HOUR_MS;
  const reminders = { every_ms: 1_000 * HOUR_MS, high_every_ms: 1_000 * HOUR_MS };
  const { issue } = await desk.seed(askingRun(['colour'], { startMs: desk.clock.ms, reminders }));
  await settleInHour(hour);
  return { issue, hour };
}

/** Fires the timers of that hour, and performs what they decide. */
async function settleInHour(hour: number): Promise<void> {
  desk.clock.ms = hour * HOUR_MS + MINUTE_MS;
  for (let time = 0; time < 2; time += 1) await desk.settle();
}

const question = async (issue: number) =>
  (await desk.olivia.comments(issue)).find(({ body }) => body.includes(':escalation '));

async function remove(issue: number): Promise<void> {
  const id = (await question(issue))?.id ?? expect.fail('no question');
  await desk.github.callAs('olivia', 'DELETE', `/repos/olivia/shop/issues/comments/${id}`);
  await desk.settle();
}

/** Deletes the question as often as it comes back. Returns how many new ones there were since the hour began. */
async function removeInHour(issue: number, hour: number): Promise<number> {
  const before = (await question(issue))?.id;
  await settleInHour(hour);
  let present = await question(issue);
  let fresh = present && present.id !== before ? 1 : 0;
  for (; present && fresh < 20; fresh += present ? 1 : 0) {
    await remove(issue);
    present = await question(issue);
  }
  return fresh;
}

test('R-14: what is deleted again and again comes back ever more rarely, and as often as before after a quiet hour', async () => {
  const { issue, hour } = await seedWaiting();
  const fresh: number[] = [];
  for (let later = 0; later < 14; later += 1) fresh.push(await removeInHour(issue, hour + later));
  expect(fresh).toEqual([10, 5, 2, 1, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
  // Its timer brings it back, and nobody deletes it in that hour and the next one.
  await settleInHour(hour + 14);
  expect(await question(issue)).toBeDefined();
  expect(await removeInHour(issue, hour + 16)).toBe(10);
});

test('R-14: hours in a row in which something comes back a few times have ever fewer turns, too', async () => {
  const { issue, hour } = await seedWaiting();
  for (let later = 0; later < 2; later += 1) {
    await settleInHour(hour + later);
    for (let time = 0; time < 3; time += 1) await remove(issue);
    expect(await question(issue)).toBeDefined();
  }
  expect(await removeInHour(issue, hour + 2)).toBe(2);
});
