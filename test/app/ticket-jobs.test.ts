import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTicketJobs } from '../../src/app/ticket-jobs.ts';
import type { HostedStore } from '../../src/core/ports/hosted-store.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { Run } from '../core/run-builder.ts';
import { target } from '../store/hosted/commits.ts';

const DAY_MS = 24 * 3_600_000;
const OP = 'r1.1.0';

const clock = { ms: Date.UTC(2026, 10, 16, 9) };
let store: HostedStore;
beforeEach(async () => {
  const key = Buffer.alloc(32).toString('base64');
  store = await openSqliteStore({ file: ':memory:', key, clock: () => clock.ms });
});
afterEach(() => store.close());

test.each([
  ['still opens its job when it has waited in a queue of Actions for almost a day', DAY_MS - 1, true],
  ['opens nothing after a day', DAY_MS, false],
])('S-17: a ticket %s', async (_, waitedMs, opens) => {
  const run = new Run();
  const [request] = run.commits;
  const effects = [{ type: 'dispatch_job', job: 1 } as const];
  await store.runs.commit('r1', 0, { ...(request ?? expect.fail()), target: target(1), effects });
  const jobs = createTicketJobs({
    store,
    publicUrl: 'https://desk.test',
    randomToken: () => 'the ticket',
    hash: (text) => `hash of ${text}`,
  });
  const dispatch = (await store.dispatches.find(OP)) ?? expect.fail();
  const machine = await jobs.prepare(dispatch, { state: run.state, target: target(1) });
  const inputs = { ticket: 'the ticket', desk: 'https://desk.test', operation: OP };
  expect(machine).toMatchObject({ inputs });
  clock.ms += waitedMs;
  const now = (await store.now()).toISOString();
  const claim = { actions_run: 900, attempt: 1, now };
  expect(await store.tickets.redeem('hash of the ticket', claim)).toBe(opens);
});
