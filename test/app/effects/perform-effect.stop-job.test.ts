import { afterEach, expect, test } from 'vitest';
import { handleInput } from '../../../src/app/handle-input.ts';
import { onWorkflowRunCompleted } from '../../../src/app/handlers/run-over.ts';
import { PASSING, startRun } from '../../core/run-builder.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

const cancelled = () =>
  desk.exchanges
    .filter(({ call }) => call.method === 'POST' && call.path.endsWith('/cancel'))
    .map(({ call }) => Number(call.path.split('/').at(-2)));
const take = (ticket: string, actionsRun: number) =>
  desk.store.tokens.redeemTicket(desk.deps.hash(ticket), actionsRun, 1, desk.deps.now().toISOString());

test('R-9: /cancel before the job has begun ends its Actions run, and its ticket opens nothing', async () => {
  desk = await openAppDesk();
  const { issue, run } = await desk.begin();
  const [dispatched] = desk.github.workflows.runs;
  const { id = 0, inputs } = dispatched ?? {};
  await desk.olivia.comment(issue, '/cancel');
  await desk.settle();
  expect((await desk.state(run)).status).toBe('cancelled');
  expect(cancelled()).toEqual([id]);
  expect(await take(inputs?.ticket ?? '', id)).toBeUndefined();
});

test('R-9: /cancel while a fresh job verifies ends that one, and the one that built', async () => {
  desk = await openAppDesk();
  const run = startRun({ freshVerification: true, startMs: Date.now() - 3_600_000 });
  const { issue } = await desk.seed(run);
  const ticket = { run: 'r1', job: 1, kind: 'build' as const, expires_at: '2999-01-01T00:00:00Z' };
  await desk.store.tokens.addTicket({ ...ticket, hash: 'h' });
  await desk.store.tokens.redeemTicket('h', 4_711, 1, desk.deps.now().toISOString());
  await desk.store.tokens.addToken({ ...ticket, hash: 'token' });
  run.turn({ report: { status: 'implemented', summary: 'x' }, verification: PASSING });
  await desk.seed(run);
  const verifying = desk.github.workflows.runs.find(({ inputs }) => inputs.kind === 'verify');
  await desk.olivia.comment(issue, '/cancel');
  await desk.settle();
  expect((await desk.state()).status).toBe('cancelled');
  expect(cancelled().toSorted()).toEqual([4_711, verifying?.id].toSorted());
  expect(await desk.store.tokens.findToken('token')).toBeUndefined();
});

test('an Actions run that has ended is not cancelled', async () => {
  desk = await openAppDesk();
  const { issue, run } = await desk.begin();
  const mark = `dispatched:${run}`;
  const dispatched = JSON.parse((await desk.store.marks.get(mark)) ?? '');
  await desk.store.marks.set(mark, JSON.stringify({ ...dispatched, ended: true }));
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
  expect(await take(fresh?.inputs.ticket ?? '', id)).toBeDefined();
  await desk.olivia.comment(issue, '/guide please also handle the empty list');
  await desk.settle();
  expect((await desk.olivia.comments(issue)).at(-1)?.body).toContain('one more turn with this first');
  expect(cancelled()).toEqual([id]);
  expect(desk.github.workflows.runs.at(-1)?.inputs.kind).toBe('build');
  await onWorkflowRunCompleted(desk.deps, {
    run: 'r1',
    actions_run: id,
    attempt: 1,
    conclusion: 'cancelled',
  });
  const at = new Date(desk.clock.ms).toISOString();
  await handleInput(desk.deps, 'r1', { type: 'verification', at, verification: PASSING }, ['v']);
  await desk.settle();
  const state = await desk.state();
  expect(state).toMatchObject({ status: 'building', answers: [{ command: 'guide' }] });
  expect(state.paused).toBeUndefined();
});
