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
