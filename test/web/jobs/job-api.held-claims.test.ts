import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { GuardId } from '../../../src/core/contracts/guard.ts';
import { guardById } from '../../../src/guards/registry.ts';
import { type Run, startRun, USAGE } from '../../core/run-builder.ts';
import { openTestDesk, START, type TestDesk } from '../desk.ts';
import { callJobApi, claimJob } from '../job-call.ts';

const MINUTE_MS = 60_000;

let desk: TestDesk;
let run: Run;
let token: string;

beforeEach(async () => {
  desk = await openTestDesk();
  run = startRun({ startMs: START }).beginTurn();
  await desk.seed(run);
  token = String((await claimJob(desk, await desk.ticket())).json.token);
});
afterEach(() => desk.close());

const report = (json: unknown) => callJobApi(desk, 'POST', '/report', { token, json });
const state = async () => (await desk.store.runs.load('r1')).state ?? expect.fail();

/** The agent asks, says the job. */
function asking() {
  const help = { what_i_tried: 'x', what_i_need: 'y', inputs: [{ key: 'k', label: 'K', secret: false }] };
  run.meter.observe({ type: 'help_requested', turn: 1, help });
  return run.envelope('tripped', { usage: USAGE, measured: run.meter.measured() });
}

test('E-12: people are reminded by the desk’s clock, whatever the job’s says', async () => {
  const answer = await report({ ...asking(), at: '2099-01-01T00:00:00.000Z' });
  expect(answer.status).toBe(200);
  expect((await state()).escalations[0]?.created_at).toBe(new Date(START).toISOString());
  desk.clock.ms = START + 60 * MINUTE_MS;
  const due = await desk.store.timers.due(10);
  expect(due).toMatchObject([{ run: 'r1', timer: 'reminder:e1' }]);
});

test('R-15: the number of a turn is the desk’s, whatever a job claims: turn 1 is open, so no other begins', async () => {
  for (const turn of [5000, 1]) {
    await report({ ...run.envelope('turn_started', { kind: 'normal', resumed: false }), turn });
    expect((await state()).turn).toBe(1);
  }
});

describe('G-2: working time', () => {
  const park = (active_ms: number) => report({ ...run.envelope('parked', { guards: {} }), active_ms });
  const ask = async (claimed: number) => {
    const envelope = asking();
    const { context } = run.meter.measured();
    const measured = { ...run.meter.measured(), context: { ...context, active_ms: claimed } };
    await report({ ...envelope, active_ms: claimed, data: { usage: USAGE, measured } });
  };

  test('does not grow faster than the desk’s clock', async () => {
    desk.clock.ms += 10 * MINUTE_MS;
    await park(600 * MINUTE_MS);
    const { active_ms } = await state();
    expect(active_ms).toBeGreaterThan(9 * MINUTE_MS);
    expect(active_ms).toBeLessThan(12 * MINUTE_MS);
  });

  test('is taken as it is said where that can be', async () => {
    desk.clock.ms += 10 * MINUTE_MS;
    await park(9 * MINUTE_MS);
    expect((await state()).active_ms).toBe(9 * MINUTE_MS);
  });

  test('never falls, and a question shows no more than that', async () => {
    desk.clock.ms += 10 * MINUTE_MS;
    await ask(600 * MINUTE_MS);
    const asked = (await state()).active_ms;
    expect(asked).toBeLessThan(12 * MINUTE_MS);
    expect((await state()).escalations[0]?.context.active_ms).toBe(asked);
    await park(1);
    expect((await state()).active_ms).toBe(asked);
  });
});

describe('E-15: a guard’s state that is none', () => {
  test.each([
    [{ max_iterations: null }],
    [{ same_error_repeated: { occurrences: 'x', count: 99 } }],
    [{ need_help: { pending: 1 } }],
    [{ external_blocker: { found: 3 } }],
    [{ loop_detected: 7 }],
    [
      {
        need_help: {
          asked: {
            help: { what_i_tried: 'x', what_i_need: 'y', inputs: [{ key: 'k', label: 'L'.repeat(600) }] },
          },
        },
      },
    ],
  ])('begins anew and is logged, and the job goes on: %j', async (guards) => {
    const [guard = expect.fail()] = Object.keys(guards) as GuardId[];
    const measured = { ...run.meter.measured(), guards };
    expect(await report(run.envelope('tripped', { usage: USAGE, measured }))).toMatchObject({
      status: 200,
      json: { orders: { do: 'work' } },
    });
    expect((await report(run.envelope('parked', { guards }))).status).toBe(200);
    expect((await state()).guards).toEqual({ [guard]: guardById(guard).initial });
    expect(desk.logged()).toContain('they start from zero');
  });
});
