import { afterEach, expect, test } from 'vitest';
import { handleInput } from '../../../src/app/handle-input.ts';
import { PASSING, startRun } from '../../core/run-builder.ts';
import { type AppDesk, openAppDesk, SEEDED_ACTIONS_RUN } from '../app-desk.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

const cancelled = () =>
  desk.exchanges
    .filter(({ call }) => call.method === 'POST' && call.path.endsWith('/cancel'))
    .map(({ call }) => Number(call.path.split('/').at(-2)));
const take = (ticket: string, actionsRun: number) =>
  desk.store.tickets.redeem(desk.deps.hash(ticket), {
    actions_run: actionsRun,
    attempt: 1,
    now: desk.deps.now().toISOString(),
  });

test('R-9: /cancel before the job has begun ends its Actions run, and its ticket opens nothing', async () => {
  desk = await openAppDesk();
  const { issue, run } = await desk.begin();
  const [dispatched] = desk.github.workflows.runs;
  const { id = 0, inputs } = dispatched ?? {};
  await desk.olivia.comment(issue, '/cancel');
  await desk.settle();
  expect((await desk.state(run)).status).toBe('cancelled');
  expect(cancelled()).toEqual([id]);
  expect(await take(inputs?.ticket ?? '', id)).toBe(false);
});

test('R-9: /cancel while the job sets up ends its Actions run at once, and it never begins', async () => {
  desk = await openAppDesk();
  const { issue, run } = await desk.begin();
  const [dispatched] = desk.github.workflows.runs;
  const { id = 0, inputs } = dispatched ?? {};
  expect(await take(inputs?.ticket ?? '', id)).toBe(true);
  await desk.claim(id, 1, 'build', run);
  const { op = '' } = (await desk.dispatch(1, 'build', run)) ?? {};
  await desk.store.dispatches.change(op, { working_at: undefined });
  await desk.olivia.comment(issue, '/cancel');
  await desk.settle();
  expect((await desk.state(run)).status).toBe('cancelled');
  expect(cancelled()).toEqual([id]);
  expect(await desk.store.tickets.addToken('token', op)).toBe('revoked');
  expect(await desk.dispatch(1, 'build', run)).toMatchObject({ outcome: 'stopped by Autobuild' });
  // What GitHub tells of it afterwards is neither a loss nor a person's cancel.
  await desk.endActionsRun(id, 'cancelled');
  expect(await desk.state(run)).toMatchObject({ status: 'cancelled', jobs: 0 });
});

test('R-9: /cancel while a fresh job verifies ends that one, and the one that built', async () => {
  desk = await openAppDesk();
  const run = startRun({ freshVerification: true, startMs: Date.now() - 3_600_000 });
  const { issue } = await desk.seed(run);
  const { op = '' } = (await desk.dispatch()) ?? {};
  await desk.store.tickets.addToken('token', op);
  run.turn({ report: { status: 'implemented', summary: 'x' }, verification: PASSING });
  await desk.seed(run);
  const verifying = desk.github.workflows.runs.find(({ inputs }) => inputs.kind === 'verify');
  await desk.olivia.comment(issue, '/cancel');
  await desk.settle();
  expect((await desk.state()).status).toBe('cancelled');
  // The job that works ends by its orders, and is cancelled only when the grace is over.
  expect(cancelled()).toEqual([verifying?.id]);
  expect(await desk.store.tickets.findToken('token')).toBeDefined();
  desk.clock.ms += 21_000;
  await desk.settle();
  expect(cancelled()).toEqual([verifying?.id, SEEDED_ACTIONS_RUN]);
  expect(await desk.store.tickets.findToken('token')).toBeUndefined();
});

test('R-9: a job that does not obey is cancelled when its grace is over, whatever is said after the /cancel', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(startRun({ startMs: Date.now() - 3_600_000 }).turn());
  await desk.olivia.comment(issue, '/cancel');
  await desk.settle();
  for (const seconds of [15, 6]) {
    expect(cancelled()).toEqual([]);
    desk.clock.ms += seconds * 1000;
    await desk.olivia.comment(issue, '/continue');
    await desk.settle();
  }
  expect(cancelled()).toEqual([SEEDED_ACTIONS_RUN]);
});

test.each([-20_000, 20_000])(
  'R-9: a job at work gets its grace from a desk whose clock is %i ms away from the database’s',
  async (awayMs) => {
    desk = await openAppDesk();
    const { issue } = await desk.seed(startRun({ startMs: Date.now() - 3_600_000 }).turn());
    const { now } = desk.deps;
    desk.deps.now = () => new Date(now().getTime() + awayMs);
    await desk.olivia.comment(issue, '/cancel');
    await desk.settle();
    desk.clock.ms += 19_000;
    await desk.settle();
    expect((await desk.state()).status).toBe('cancelled');
    expect(cancelled()).toEqual([]);
    desk.clock.ms += 2_000;
    await desk.settle();
    expect(cancelled()).toEqual([SEEDED_ACTIONS_RUN]);
  },
);

test('an Actions run that has ended is not cancelled', async () => {
  desk = await openAppDesk();
  const { issue, run } = await desk.begin();
  const { op = '' } = (await desk.dispatch(1, 'build', run)) ?? {};
  await desk.store.dispatches.change(op, {
    ended_at: new Date(desk.clock.ms).toISOString(),
    outcome: 'over',
  });
  await desk.olivia.comment(issue, '/cancel');
  await desk.settle();
  expect(cancelled()).toEqual([]);
});

test('E-11: /guide while a fresh job verifies ends that one, which pauses nothing, and a job that builds has it', async () => {
  desk = await openAppDesk();
  const run = startRun({ freshVerification: true, startMs: Date.now() - 3_600_000 });
  run.turn({ report: { status: 'implemented', summary: 'x' }, verification: PASSING }).park();
  const { issue } = await desk.seed(run);
  const [fresh] = desk.github.workflows.runs.filter(({ inputs }) => inputs.kind === 'verify');
  const id = fresh?.id ?? 0;
  expect(await take(fresh?.inputs.ticket ?? '', id)).toBe(true);
  await desk.olivia.comment(issue, '/guide please also handle the empty list');
  await desk.settle();
  expect((await desk.olivia.comments(issue)).at(-1)?.body).toContain('one more turn first');
  expect(cancelled()).toEqual([id]);
  expect(desk.github.workflows.runs.at(-1)?.inputs.kind).toBe('build');
  await desk.endActionsRun(id, 'cancelled');
  const at = new Date(desk.clock.ms).toISOString();
  await handleInput(desk.deps, 'r1', { type: 'verification', at, verification: PASSING }, ['v']);
  await desk.settle();
  const state = await desk.state();
  expect(state).toMatchObject({ status: 'building', answers: [{ command: 'guide' }] });
  expect(state.paused).toBeUndefined();
});

/** GitHub does not take the cancel of a workflow run. */
function refuseCancels(): void {
  desk.interfere(({ method, path }) =>
    method === 'POST' && path.endsWith('/cancel')
      ? { status: 500, body: { message: 'Server error' } }
      : undefined,
  );
}

test('R-13: /continue after a stop that failed starts a job at once, and the old one, which is locked out, is cancelled later', async () => {
  desk = await openAppDesk();
  const { issue, run } = await desk.begin();
  const [old] = desk.github.workflows.runs;
  refuseCancels();
  await desk.olivia.comment(issue, '/pause');
  await desk.settle();
  for (let minute = 0; minute < 5; minute += 1) {
    desk.clock.ms += 60_000;
    await desk.settle();
  }
  await desk.olivia.comment(issue, '/continue');
  await desk.settle();
  const [, next] = desk.github.workflows.runs;
  expect(desk.github.workflows.runs).toHaveLength(2);
  expect(await desk.dispatch(1, 'build', run)).toMatchObject({ actions_run: next?.id, outcome: undefined });
  expect(await take(old?.inputs.ticket ?? '', old?.id ?? 0)).toBe(false);
  expect(await take(next?.inputs.ticket ?? '', next?.id ?? 0)).toBe(true);
  desk.interfere(() => undefined);
  desk.clock.ms += 600_000;
  await desk.settle();
  expect(cancelled().at(-1)).toBe(old?.id);
  expect(await desk.store.dispatches.open(run)).toMatchObject([{ actions_run: next?.id }]);
});

test('R-13: a desk that is killed while it stops a job leaves none that is waited for', async () => {
  desk = await openAppDesk();
  const { issue, run } = await desk.begin();
  const { silence } = desk.deps.jobs;
  desk.deps.jobs.silence = () => Promise.reject(new Error('killed'));
  await desk.olivia.comment(issue, '/pause');
  await desk.settle();
  desk.deps.jobs.silence = silence;
  await desk.olivia.comment(issue, '/continue');
  await desk.settle();
  const [old, next] = desk.github.workflows.runs;
  expect(await desk.dispatch(1, 'build', run)).toMatchObject({ actions_run: next?.id, ended_at: undefined });
  // although the stop was not repeated yet.
  expect(await take(old?.inputs.ticket ?? '', old?.id ?? 0)).toBe(false);
});

/** A run that was paused and continued, and whose first job GitHub does not cancel. */
async function continueUncancelled(): Promise<string> {
  desk = await openAppDesk();
  const { issue, run } = await desk.begin();
  refuseCancels();
  for (const command of ['/pause', '/continue']) {
    await desk.olivia.comment(issue, command);
    await desk.settle();
  }
  return run;
}

test('R-13: a stopped job whose cancel fails is not waited for', async () => {
  const run = await continueUncancelled();
  // GitHub takes no dispatch either, and it is given up.
  const { op = '' } = (await desk.dispatch(1, 'build', run)) ?? {};
  await desk.store.dispatches.change(op, {
    ended_at: new Date(desk.clock.ms).toISOString(),
    outcome: 'gone',
  });
  await desk.watchJobs();
  expect((await desk.state(run)).losses).toBe(1);
});

test('R-13: a job that ended is lost although a stopped one of its number is still open', async () => {
  const run = await continueUncancelled();
  await desk.endActionsRun(desk.github.workflows.runs.at(-1)?.id ?? 0, 'failure');
  expect((await desk.state(run)).losses).toBe(1);
});

test('R-13: /guide while a fresh job verifies starts the build though GitHub does not take the cancel', async () => {
  desk = await openAppDesk();
  const run = startRun({ freshVerification: true, startMs: Date.now() - 3_600_000 });
  run.turn({ report: { status: 'implemented', summary: 'x' }, verification: PASSING }).park();
  const { issue } = await desk.seed(run);
  refuseCancels();
  await desk.olivia.comment(issue, '/guide please also handle the empty list');
  await desk.settle();
  expect(desk.github.workflows.runs.at(-1)?.inputs.kind).toBe('build');
});

test('R-9: /cancel finds the job whose response was lost, although its dispatch waits to be tried again', async () => {
  desk = await openAppDesk();
  const { github } = desk.deps;
  desk.deps.github = async (repository) => {
    const real = await github(repository);
    return {
      ...real,
      async dispatchWorkflow(...args) {
        await real.dispatchWorkflow(...args);
        throw new Error('the answer is lost');
      },
    };
  };
  const { issue, run } = await desk.begin();
  expect((await desk.dispatch(1, 'build', run))?.actions_run).toBeUndefined();
  await desk.olivia.comment(issue, '/cancel');
  await desk.settle();
  expect(cancelled()).toEqual([desk.github.workflows.runs[0]?.id]);
});

test('R-6: a dispatch that GitHub did not take and that was stopped meanwhile starts nothing beside its successor', async () => {
  desk = await openAppDesk();
  desk.interfere(({ method, path }) =>
    method === 'POST' && path.endsWith('/dispatches') ? { status: 502, body: { message: 'x' } } : undefined,
  );
  const { issue, run } = await desk.begin();
  const { silence } = desk.deps.jobs;
  desk.deps.jobs.silence = () => Promise.reject(new Error('killed'));
  await desk.olivia.comment(issue, '/pause');
  await desk.settle();
  await desk.olivia.comment(issue, '/continue');
  await desk.settle();
  desk.deps.jobs.silence = silence;
  desk.interfere(() => undefined);
  // The dispatches have their turn before the stop is repeated.
  const { stop } = desk.deps.jobs;
  desk.deps.jobs.stop = () => Promise.reject(new Error('not yet'));
  desk.clock.ms += 10_000;
  await desk.settle();
  desk.deps.jobs.stop = stop;
  expect(desk.github.workflows.runs).toHaveLength(1);
  expect(await desk.dispatch(1, 'build', run)).toMatchObject({
    actions_run: desk.github.workflows.runs[0]?.id,
    outcome: undefined,
  });
});
