import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PASSING, Run, startRun, tests } from '../../core/run-builder.ts';
import { askingRun, openTestDesk, type TestDesk } from '../desk.ts';
import { callJobApi, claimJob } from '../job-call.ts';

let desk: TestDesk;
let asked: number[];

async function open(run = askingRun('url')): Promise<void> {
  desk = await openTestDesk({
    jobs: {
      async attemptOf(_place, actionsRun) {
        asked.push(actionsRun);
        const found = desk.attempts[actionsRun];
        if (found instanceof Error) throw found;
        return found;
      },
    },
  });
  await desk.seed(run);
}

beforeEach(() => {
  asked = [];
});
afterEach(() => desk.close());

const beats = async (answer: { json: Record<string, unknown> }) =>
  (await callJobApi(desk, 'POST', '/heartbeat', { token: String(answer.json.token) })).status;

describe('S-17: a later attempt', () => {
  test('is taken at GitHub’s word only: who reads the ticket in the job cannot take it over', async () => {
    await open();
    const ticket = await desk.ticket();
    const honest = await claimJob(desk, ticket, { nonce: 'n'.repeat(32) });
    desk.attempts[900] = 1;
    for (const attempt of [2, 9_999])
      expect((await claimJob(desk, ticket, { attempt, nonce: 'm'.repeat(32) })).status).toBe(401);
    expect(await beats(honest)).toBe(200);
    desk.clock.ms += 60_000;
    desk.attempts[900] = 2;
    const again = await claimJob(desk, ticket, { attempt: 2, nonce: 'o'.repeat(32) });
    expect(again.status).toBe(200);
    expect(await beats(honest)).toBe(401);
    expect(await beats(again)).toBe(200);
  });

  test.each([
    ['does not know the run', undefined],
    ['is away', new Error('connect ECONNREFUSED')],
  ])('waits while GitHub %s', async (_, known) => {
    await open();
    const ticket = await desk.ticket();
    const honest = await claimJob(desk, ticket);
    if (known) desk.attempts[900] = known;
    const answer = await claimJob(desk, ticket, { attempt: 2 });
    expect(answer.status).toBe(503);
    expect(answer.json.error).toContain('try again');
    expect(await beats(honest)).toBe(200);
    // Nothing was used up by it.
    desk.clock.ms += 60_000;
    desk.attempts[900] = 2;
    expect((await claimJob(desk, ticket, { attempt: 2 })).status).toBe(200);
  });

  test('of a job that verifies is not the code’s to claim', async () => {
    const run = startRun({ freshVerification: true });
    run.turn({ report: { status: 'implemented', summary: 'x' }, verification: PASSING });
    await open(run);
    const ticket = await desk.ticket({ kind: 'verify' });
    const honest = await claimJob(desk, ticket, { nonce: 'n'.repeat(32) });
    desk.attempts[900] = 1;
    expect((await claimJob(desk, ticket, { attempt: 2, nonce: 'e'.repeat(32) })).status).toBe(401);
    const json = { verification: tests(0, 5), changeset: null };
    const token = String(honest.json.token);
    expect((await callJobApi(desk, 'POST', '/verification', { token, json })).status).toBe(200);
    expect((await desk.store.runs.load('r1')).state?.status).toBe('building');
  });

  test('is the only one GitHub is asked about, and not as often as anybody likes', async () => {
    await open();
    const ticket = await desk.ticket();
    await claimJob(desk, ticket, { nonce: 'n'.repeat(32) });
    await claimJob(desk, ticket, { nonce: 'n'.repeat(32) });
    await claimJob(desk, ticket, { actions_run_id: 901, attempt: 2 });
    await claimJob(desk, 'x'.repeat(43), { attempt: 2 });
    expect(asked).toEqual([]);
    desk.attempts[900] = 1;
    for (let attempt = 2; attempt < 30; attempt += 1) await claimJob(desk, ticket, { attempt });
    expect(asked).toEqual([900]);
  });

  test('that is the first one to claim is one that GitHub knows of', async () => {
    await open();
    const ticket = await desk.ticket();
    desk.attempts[900] = 1;
    expect((await claimJob(desk, ticket, { attempt: 2 })).status).toBe(401);
    desk.clock.ms += 60_000;
    desk.attempts[900] = 2;
    expect((await claimJob(desk, ticket, { attempt: 2 })).status).toBe(200);
  });
});

test('S-17: a ticket is taken by the Actions run that was started with it, where GitHub said which', async () => {
  await open();
  const ticket = await desk.ticket();
  const { op } = (await desk.store.dispatches.ofJob('r1', 1, 'build')) ?? expect.fail();
  await desk.store.dispatches.change(op, { actions_run: 900 });
  expect((await claimJob(desk, ticket, { actions_run_id: 901 })).status).toBe(401);
  expect((await claimJob(desk, ticket)).status).toBe(200);
});

test('R-9: a claim for a run that has ended: 410 that says how it ended, and the ticket stays unused', async () => {
  const run = askingRun('url');
  run.say('/cancel');
  await open(run);
  const ticket = await desk.ticket();
  const answer = await claimJob(desk, ticket);
  expect(answer).toMatchObject({ status: 410, json: { status: 'cancelled' } });
  expect(answer.json.error).toContain('The run is over (cancelled)');
  await desk.store.tickets.revokeBefore('r1', 2);
  expect((await claimJob(desk, ticket)).status).toBe(410);
  expect((await desk.store.dispatches.ofJob('r1', 1, 'build'))?.actions_run).toBeUndefined();
});

test('a ticket that was revoked is none', async () => {
  await open();
  const ticket = await desk.ticket();
  await desk.store.tickets.revokeBefore('r1', 2);
  expect((await claimJob(desk, ticket)).status).toBe(401);
});

test('R-5: a ticket whose dispatch was given up is refused, because its successor has the same number', async () => {
  await open(new Run());
  const late = await desk.ticket();
  const { op } = (await desk.store.dispatches.ofJob('r1', 1, 'build')) ?? expect.fail();
  const ended_at = new Date(desk.clock.ms).toISOString();
  await desk.store.dispatches.change(op, { ended_at, outcome: 'no workflow run of it appeared' });
  expect((await claimJob(desk, late)).status).toBe(401);
});

test('R-5: of two dispatches for the same job the one that claims last is heard', async () => {
  await open(new Run());
  const [earlier, unused] = [await desk.ticket(), await desk.ticket()];
  const first = await claimJob(desk, earlier);
  expect(await beats(first)).toBe(200);
  const effects = [{ type: 'dispatch_job' as const, job: 1 }];
  const input = { type: 'write' as const, at: new Date(desk.clock.ms).toISOString(), effects };
  const { version } = await desk.store.runs.load('r1');
  await desk.store.runs.commit('r1', version, { input, events: [], effects });
  const second = await claimJob(desk, await desk.ticket(), { actions_run_id: 901 });
  expect(second.status).toBe(200);
  expect(await beats(second)).toBe(200);
  expect(await beats(first)).toBe(401);
  expect((await claimJob(desk, unused)).status).toBe(401);
});
