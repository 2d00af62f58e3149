import { afterEach, expect, test } from 'vitest';
import { onWorkflowRunCompleted } from '../../../src/app/handlers/run-over.ts';
import { rememberDispatch } from '../../../src/app/last-dispatch.ts';
import { startRun } from '../../core/run-builder.ts';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

const ACTIONS_RUN = 4_000_001;
const builds = () => desk.github.workflows.runs.length;

/** Its job was started by that Actions run, which is the one that ended. */
async function claimed(conclusion: string, job = 1): Promise<void> {
  const ticket = { hash: 'h', run: 'r1', job, kind: 'build' as const, expires_at: '2999-01-01T00:00:00Z' };
  await desk.store.tokens.addTicket(ticket);
  await desk.store.tokens.redeemTicket('h', ACTIONS_RUN, 1, new Date(desk.clock.ms).toISOString());
  await ended(conclusion);
  // The webhook and reconcile may both tell.
  await ended(conclusion);
}

async function ended(conclusion: string): Promise<void> {
  await onWorkflowRunCompleted(desk.deps, { run: 'r1', actions_run: ACTIONS_RUN, attempt: 1, conclusion });
  await desk.settle();
}

test('a job that is cancelled on the Actions page pauses the run: no new job, and it says how to go on', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(startRun({ startMs: Date.now() - 3_600_000 }).turn());
  const before = builds();
  await claimed('cancelled');
  const state = await desk.state();
  expect(state).toMatchObject({ status: 'waiting_for_input', job_live: false });
  expect(state.paused).toBeDefined();
  expect(await desk.waysOfCommands()).toEqual(['autobuild']);
  expect(builds()).toBe(before);
  const said = (await desk.olivia.comments(issue)).filter(({ body }) =>
    body.includes('cancelled in Actions'),
  );
  expect(said).toHaveLength(1);
  expect(said[0]?.body).toContain('`/continue` goes on');
  await desk.olivia.comment(issue, '/continue');
  await desk.settle();
  expect(builds()).toBe(before + 1);
});

test('any other end of a job that was at work is followed by a new job', async () => {
  desk = await openAppDesk();
  await desk.seed(startRun({ startMs: Date.now() - 3_600_000 }).turn());
  const before = builds();
  await claimed('failure');
  expect((await desk.state()).paused).toBeUndefined();
  expect(builds()).toBe(before + 1);
});

test('E-13: a job that is cancelled while people are asked: the question is asked again, and nothing is paused', async () => {
  desk = await openAppDesk();
  await desk.seed(askingRun(['colour']));
  const before = builds();
  await claimed('cancelled');
  const state = await desk.state();
  expect(state).toMatchObject({ status: 'waiting_for_input', pending: 'e2' });
  expect(state.paused).toBeUndefined();
  expect(builds()).toBe(before);
});

test('a job that is cancelled before it began pauses the run, too', async () => {
  desk = await openAppDesk();
  const { run } = await desk.begin();
  const [dispatched] = desk.github.workflows.runs;
  await onWorkflowRunCompleted(desk.deps, {
    run,
    actions_run: dispatched?.id ?? 0,
    attempt: 1,
    conclusion: 'cancelled',
  });
  await desk.settle();
  expect((await desk.state(run)).paused).toBeDefined();
  expect(builds()).toBe(1);
});

test('a job that was followed by another one is no news, however it ended', async () => {
  desk = await openAppDesk();
  await desk.seed(startRun({ startMs: Date.now() - 3_600_000 }).turn());
  await rememberDispatch(desk.deps, 'r1', {
    kind: 'build',
    job: 2,
    actions_run: 9,
    at: '2026-01-01T00:00:00Z',
  });
  await ended('cancelled');
  expect((await desk.state()).paused).toBeUndefined();
});

test('E-13: the third job in a row that is lost pauses the run, and one comment says why and links to its log', async () => {
  desk = await openAppDesk();
  const run = startRun({ startMs: Date.now() - 3_600_000 })
    .beginTurn()
    .lose()
    .startJob()
    .beginTurn()
    .lose();
  const { issue } = await desk.seed(run.startJob().beginTurn());
  const before = builds();
  await claimed('failure', 3);
  expect((await desk.state()).paused).toBeDefined();
  expect(builds()).toBe(before);
  const said = (await desk.olivia.comments(issue)).filter(({ body }) => body.includes('Paused:'));
  expect(said).toHaveLength(1);
  expect(said[0]?.body).toContain('3 jobs in a row ended before a turn was finished');
  expect(said[0]?.body).toMatch(
    new RegExp(`\\[The log of the last one\\]\\(https?://\\S+/actions/runs/${ACTIONS_RUN}\\)`),
  );
  await desk.olivia.comment(issue, '/continue');
  await desk.settle();
  expect(builds()).toBe(before + 1);
  expect((await desk.state()).losses).toBeUndefined();
});
