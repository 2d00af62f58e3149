import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PASSING, Run, startRun, tests } from '../../core/run-builder.ts';
import { askingRun, openTestDesk, type TestDesk } from '../desk.ts';
import { callJobApi, claimJob } from '../job-call.ts';

let desk: TestDesk;
let asked: number[];

async function open(run = askingRun('url')): Promise<void> {
  desk = await openTestDesk({
    jobs: {
      async readActionsRun(_place, actionsRun) {
        asked.push(actionsRun);
        return desk.actionsRun(actionsRun);
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
    desk.clock.ms += 60_000;
    desk.attempts[900] = known;
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

  test('is asked about, and the first; but not as often as anybody likes', async () => {
    await open();
    const ticket = await desk.ticket();
    await claimJob(desk, ticket, { nonce: 'n'.repeat(32) });
    desk.clock.ms += 60_000;
    await claimJob(desk, ticket, { nonce: 'n'.repeat(32) });
    await claimJob(desk, ticket, { actions_run_id: 901, attempt: 2 });
    await claimJob(desk, 'x'.repeat(43), { attempt: 2 });
    expect(asked).toEqual([900]);
    for (let attempt = 2; attempt < 30; attempt += 1) await claimJob(desk, ticket, { attempt });
    expect(asked).toEqual([900, 900]);
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
  await revokeJob();
  expect((await claimJob(desk, ticket)).status).toBe(410);
  expect((await desk.store.dispatches.ofJob('r1', 1, 'build'))?.actions_run).toBeUndefined();
});

async function revokeJob(): Promise<void> {
  const { op } = (await desk.store.dispatches.ofJob('r1', 1, 'build')) ?? expect.fail();
  await desk.store.tickets.revoke(op);
}

test('a ticket that was revoked is none', async () => {
  await open();
  const ticket = await desk.ticket();
  await revokeJob();
  expect((await claimJob(desk, ticket)).status).toBe(401);
});

test('R-5: a ticket whose dispatch was given up is refused, because its successor has the same number', async () => {
  await open(new Run());
  const late = await desk.ticket();
  const { op } = (await desk.store.dispatches.ofJob('r1', 1, 'build')) ?? expect.fail();
  const ended_at = new Date(desk.clock.ms).toISOString();
  await desk.store.dispatches.change(op, { ended_at, outcome: 'no workflow run appeared' });
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

describe('S-17: a ticket that others can read', () => {
  const PRE = { step: 'pre', nonce: 'p'.repeat(32) } as const;
  const main = (begin: string) => ({ nonce: PRE.nonce, begin: begin.repeat(32) });
  const dispatch = async () => (await desk.store.dispatches.ofJob('r1', 1, 'build')) ?? expect.fail();
  /** How often the stage of the job was to be shown on the issue. */
  const shown = async () =>
    (await desk.store.runs.events('r1')).filter(({ commit }) => commit.input.type === 'write').length;
  const asked = async () => (await desk.store.runs.load('r1')).state?.pending !== undefined;

  test('counts for nothing before Actions says that the run is in progress', async () => {
    await open(new Run());
    const ticket = await desk.ticket();
    for (const [status, code] of [
      ['queued', 503],
      ['waiting', 503],
      ['completed', 401],
    ] as const) {
      desk.attempts[900] = status;
      expect(await claimJob(desk, ticket, PRE)).toMatchObject({ status: code });
      desk.clock.ms += 60_000;
    }
    expect((await dispatch()).claimed_at).toBeUndefined();
    desk.attempts[900] = 'in_progress';
    expect((await claimJob(desk, ticket, PRE)).status).toBe(200);
  });

  test('is reserved in the pre step, without a token; the main step gets one, also when a response is lost', async () => {
    await open(new Run());
    const ticket = await desk.ticket();
    for (let tries = 0; tries < 2; tries += 1)
      expect(await claimJob(desk, ticket, PRE)).toEqual({
        status: 200,
        json: { kind: 'build', protocol: expect.any(Number) },
      });
    expect(await dispatch()).toMatchObject({ claimed_at: expect.any(String), actions_run: 900 });
    expect(await shown()).toBe(1);
    expect((await dispatch()).working_at).toBeUndefined();
    desk.clock.ms += 30 * 3_600_000;
    const [once, again] = [await claimJob(desk, ticket, main('b')), await claimJob(desk, ticket, main('b'))];
    expect(once.json.token).toBe(again.json.token);
    expect(await beats(again)).toBe(200);
    expect((await dispatch()).working_at).toBe(new Date(desk.clock.ms).toISOString());
    expect(await shown()).toBe(2);
    expect(await asked()).toBe(false);
  });

  test.each([
    ['another claims after the pre step', { step: 'pre', nonce: 'x'.repeat(32) }],
    ['another works after the pre step', { nonce: 'x'.repeat(32), begin: 'x'.repeat(32) }],
    ['an older action claims after the pre step', { nonce: 'x'.repeat(32) }],
    ['another claims without a nonce', {}],
    ['another begins with what the pre step saved', main('x')],
  ] as const)('when %s, neither is heard any more, and the run waits for a person', async (_, thief) => {
    await open(new Run());
    const ticket = await desk.ticket();
    await claimJob(desk, ticket, PRE);
    const honest = await claimJob(desk, ticket, main('b'));
    expect(await beats(honest)).toBe(200);
    const second = await claimJob(desk, ticket, thief);
    expect(second.status).toBe(401);
    expect(second.json.error).toContain('used twice');
    expect(await beats(honest)).toBe(401);
    expect(await asked()).toBe(true);
    const [{ commit } = expect.fail()] = (await desk.store.runs.events('r1')).slice(-1);
    expect(commit.effects).toContainEqual({ type: 'stop_job' });
    expect(commit.effects).toContainEqual({ type: 'ask', escalation: 'e1' });
    expect(commit.events).toContainEqual(
      expect.objectContaining({
        escalation: expect.objectContaining({
          headline: 'the ticket of job 1 was used twice, so both users are locked out',
          log_url: 'https://github.com/rosa/shop/actions/runs/900',
        }),
      }),
    );
    for (const claim of [main('b'), thief])
      expect(await claimJob(desk, ticket, claim)).toMatchObject({
        status: 401,
        json: { error: expect.stringContaining('used twice') },
      });
    expect(await dispatch()).toMatchObject({ outcome: 'its ticket was used twice' });
  });

  test.each([
    ['runs', 'commit'],
    ['tickets', 'revoke'],
  ] as const)(
    'and a desk that is killed before %s.%s: both are locked out and the run waits, or nothing has changed',
    async (part, method) => {
      await open(new Run());
      const ticket = await desk.ticket();
      await claimJob(desk, ticket, PRE);
      const honest = await claimJob(desk, ticket, main('b'));
      const before = { ...desk.store[part] };
      Object.assign(desk.store[part], { [method]: () => Promise.reject(new Error('killed')) });
      await claimJob(desk, ticket, { nonce: 'x'.repeat(32) });
      Object.assign(desk.store[part], before);
      const isLockedOut = await asked();
      expect(await beats(honest)).toBe(isLockedOut ? 401 : 200);
      expect((await dispatch()).outcome).toBe(isLockedOut ? 'its ticket was used twice' : undefined);
      const again = await claimJob(desk, ticket, { nonce: 'x'.repeat(32) });
      expect(again).toMatchObject({ status: 401, json: { error: expect.stringContaining('used twice') } });
      expect(await beats(honest)).toBe(401);
      expect(await asked()).toBe(true);
    },
  );

  test('when the thief is first, the job is the second', async () => {
    await open(new Run());
    const ticket = await desk.ticket();
    const thief = await claimJob(desk, ticket, { nonce: 'x'.repeat(32) });
    expect(await beats(thief)).toBe(200);
    expect((await claimJob(desk, ticket, PRE)).status).toBe(401);
    expect(await beats(thief)).toBe(401);
    expect(await asked()).toBe(true);
  });

  test('when an action without a nonce claims again: its answer may be lost until it was heard, then it is somebody else', async () => {
    await open(new Run());
    const ticket = await desk.ticket();
    const honest = await claimJob(desk, ticket);
    desk.clock.ms += 1_000;
    expect(await claimJob(desk, ticket)).toMatchObject({ status: 401 });
    expect(await asked()).toBe(false);
    desk.attempts[900] = 2;
    desk.clock.ms += 60_000;
    const later = await claimJob(desk, ticket, { attempt: 2 });
    expect(await claimJob(desk, ticket, { attempt: 2 })).toMatchObject({ status: 401 });
    expect([await beats(honest), await asked()]).toEqual([401, false]);
    desk.clock.ms += 1_000;
    expect(await beats(later)).toBe(200);
    const second = await claimJob(desk, ticket, { attempt: 2 });
    expect(second.json.error).toContain('used twice');
    expect([await beats(later), await asked()]).toEqual([401, true]);
  });

  test('and of two at once neither gets a token that works', async () => {
    await open(new Run());
    const ticket = await desk.ticket();
    const answers = await Promise.all(
      ['x', 'y'].map((nonce) => claimJob(desk, ticket, { nonce: nonce.repeat(32) })),
    );
    expect(answers.map(({ status }) => status)).toContain(401);
    for (const answer of answers) if (answer.status === 200) expect(await beats(answer)).toBe(401);
    expect(await asked()).toBe(true);
  });

  test('a re-run sets up again, and an earlier attempt is refused without harm', async () => {
    await open(new Run());
    const ticket = await desk.ticket();
    await claimJob(desk, ticket, PRE);
    await claimJob(desk, ticket, main('b'));
    desk.clock.ms += 60_000;
    desk.attempts[900] = 2;
    const later = { ...PRE, attempt: 2, nonce: 'q'.repeat(32) };
    expect((await claimJob(desk, ticket, later)).status).toBe(200);
    expect((await dispatch()).working_at).toBeUndefined();
    expect((await claimJob(desk, ticket, main('b'))).status).toBe(401);
    const token = await claimJob(desk, ticket, { ...main('c'), attempt: 2, nonce: later.nonce });
    expect(await beats(token)).toBe(200);
    expect(await asked()).toBe(false);
  });

  test('also by the job that verifies: what it says does not count, and the run waits', async () => {
    const run = startRun({ freshVerification: true });
    run.turn({ report: { status: 'implemented', summary: 'x' }, verification: PASSING }).park();
    await open(run);
    const ticket = await desk.ticket({ kind: 'verify' });
    const thief = await claimJob(desk, ticket, { nonce: 'x'.repeat(32) });
    await claimJob(desk, ticket, PRE);
    const json = { verification: PASSING, changeset: null };
    const token = String(thief.json.token);
    expect((await callJobApi(desk, 'POST', '/verification', { token, json })).status).toBe(401);
    expect(await asked()).toBe(true);
  });
});
