import { afterEach, expect, test } from 'vitest';
import { type Call, refuse } from '../../../src/sandbox/github/gap.ts';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

const isReaction = ({ path, body }: Call) =>
  path.endsWith('/reactions') || String(body.query).includes('addReaction(');
const answers = () =>
  desk.exchanges.filter(({ call }) => isReaction(call)).map(({ answer }) => answer.status);

/** A comment gets a reaction while GitHub answers so. Afterwards all retries are made. */
async function react(status: number, headers: Record<string, string> = {}): Promise<void> {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']).park());
  desk.interfere((call) => (isReaction(call) ? { ...refuse(status, 'Not now'), headers } : undefined));
  await desk.olivia.comment(issue, '/provide colour=red');
  await desk.settle();
  desk.interfere(() => undefined);
  for (let time = 0; time < 5; time += 1) {
    desk.clock.ms += 60_000;
    await desk.settle();
  }
}

test.each([
  [502, {}],
  [429, {}],
  [403, { 'retry-after': '60' }],
])('R-10: a reaction at a time when GitHub answers %i is set afterwards, once', async (status, headers) => {
  await react(status, headers as Record<string, string>);
  const all = answers();
  expect(all[0]).toBe(status);
  const given = new Set(
    desk.exchanges
      .filter(({ call, answer }) => isReaction(call) && answer.status < 300)
      .map(({ call }) => call.body.content),
  );
  // Seen, and taken.
  expect([...given].sort()).toEqual(['eyes', 'rocket']);
  expect(all.filter((one) => one < 300)).toHaveLength(2);
});

test.each([403, 404, 422])('R-10: a reaction that GitHub refuses with %i is let go', async (status) => {
  await react(status);
  const all = answers();
  expect(new Set(all)).toEqual(new Set([status]));
  expect(all).toHaveLength(2);
  expect(await desk.store.outbox.buried(10)).toEqual([]);
});
