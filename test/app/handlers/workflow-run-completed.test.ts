import { afterEach, expect, test } from 'vitest';
import { onWorkflowRunCompleted } from '../../../src/app/handlers/workflow-run-completed.ts';
import { workLane } from '../../../src/app/workers/work-lane.ts';
import { startRun } from '../../core/run-builder.ts';
import { type AppDesk, askingRun, openAppDesk, SEEDED_ACTIONS_RUN } from '../app-desk.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

const builds = () => desk.github.workflows.runs.length;

/** The Actions run of the seeded job ended. The webhook and reconcile may both tell. */
async function ended(conclusion: string): Promise<void> {
  await desk.endActionsRun(SEEDED_ACTIONS_RUN, conclusion);
  await desk.endActionsRun(SEEDED_ACTIONS_RUN, conclusion);
}

test('a job that is cancelled on the Actions page pauses the run: no new job, and it says how to go on', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(startRun({ startMs: Date.now() - 3_600_000 }).turn());
  const before = builds();
  await ended('cancelled');
  const state = await desk.state();
  expect(state).toMatchObject({ status: 'waiting_for_input', job_live: false });
  expect(state.paused).toBeDefined();
  expect(builds()).toBe(before);
  const said = (await desk.olivia.comments(issue)).filter(({ body }) =>
    body.includes('cancelled in Actions'),
  );
  expect(said).toHaveLength(1);
  expect(said[0]?.body).toContain('Resume with `/continue`');
  await desk.olivia.comment(issue, '/continue');
  await desk.settle();
  expect(builds()).toBe(before + 1);
});

test.each([
  ['its time is over', 350],
  // Actions ends the steps before it ends the job.
  ['its time is over and its steps took a while to end', 354],
])(
  'R-13: a job that Actions cancels because %s is no person’s cancel: another one follows',
  async (_, minutes) => {
    desk = await openAppDesk();
    const { issue } = await desk.seed(startRun({ startMs: Date.now() - 3_600_000 }).turn());
    const before = builds();
    desk.clock.ms += minutes * 60_000;
    await ended('cancelled');
    expect((await desk.state()).paused).toBeUndefined();
    expect(builds()).toBe(before + 1);
    expect((await desk.olivia.comments(issue)).filter(({ body }) => body.includes('Paused:'))).toEqual([]);
    const events = (await desk.store.runs.events('r1')).flatMap(({ commit }) => commit.events);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'job_lost',
        reason: 'the job hit its time limit of 350 minutes',
      }),
    );
  },
);

test('R-13: one minute and more before its time is over it is a person who cancelled', async () => {
  desk = await openAppDesk();
  await desk.seed(startRun({ startMs: Date.now() - 3_600_000 }).turn());
  desk.clock.ms += 348 * 60_000;
  await ended('cancelled');
  expect((await desk.state()).paused).toBeDefined();
});

/** What GitHub tells of the jobs of every Actions run: one that Actions cancelled now, of the first attempt. */
function cancelledAfter(minutes: number, { hasMachine = true, messages = [] as string[] } = {}): void {
  const at = (ms: number) => new Date(ms).toISOString();
  const { ms } = desk.clock;
  const job = {
    id: 399,
    name: 'build',
    run_attempt: 1,
    status: 'completed',
    conclusion: 'cancelled',
    started_at: at(ms - minutes * 60_000),
    completed_at: at(ms),
    steps: hasMachine ? [{ name: 'Set up job', status: 'completed', conclusion: 'success', number: 1 }] : [],
  };
  const skipped = { ...job, id: 398, name: 'verify', conclusion: 'skipped', steps: [] };
  desk.interfere(({ path }) => {
    if (path.endsWith('/jobs')) return { status: 200, body: { total_count: 2, jobs: [skipped, job] } };
    if (!path.endsWith('/check-runs/399/annotations')) return undefined;
    return { status: 200, body: messages.map((message) => ({ message })) };
  });
}

const events = async (run = 'r1') =>
  (await desk.store.runs.events(run)).flatMap(({ commit }) => commit.events);

test.each([
  ['claimed twenty minutes late', 330],
  ['claimed just before its end', 1],
])('R-13: a job that %s and ran out of time is no person’s cancel', async (_, sinceClaim) => {
  desk = await openAppDesk();
  await desk.seed(startRun({ startMs: Date.now() - 3_600_000 }).turn());
  const before = builds();
  desk.clock.ms += sinceClaim * 60_000;
  cancelledAfter(350);
  await ended('cancelled');
  expect((await desk.state()).paused).toBeUndefined();
  expect(builds()).toBe(before + 1);
  const reason = 'the job hit its time limit of 350 minutes';
  expect(await events()).toContainEqual(expect.objectContaining({ type: 'job_lost', reason }));
});

test('R-13: a job that never claimed and ran out of time is no person’s cancel', async () => {
  desk = await openAppDesk();
  const { run } = await desk.begin();
  const [dispatched] = desk.github.workflows.runs;
  desk.clock.ms += 355 * 60_000;
  cancelledAfter(350);
  await desk.endActionsRun(dispatched?.id ?? 0, 'cancelled');
  expect((await desk.state(run)).paused).toBeUndefined();
  expect(builds()).toBe(2);
});

test('R-13: a person who cancels a job is one, however long ago its ticket was first claimed', async () => {
  desk = await openAppDesk();
  await desk.seed(startRun({ startMs: Date.now() - 3_600_000 }).turn());
  desk.clock.ms += 400 * 60_000;
  cancelledAfter(30);
  await ended('cancelled');
  expect((await desk.state()).paused).toBeDefined();
});

test('R-13: a job that a person cancels while it waits for a machine had no time', async () => {
  desk = await openAppDesk();
  const { run } = await desk.begin();
  const [dispatched] = desk.github.workflows.runs;
  desk.clock.ms += 400 * 60_000;
  cancelledAfter(400, { hasMachine: false });
  await desk.endActionsRun(dispatched?.id ?? 0, 'cancelled');
  expect((await desk.state(run)).paused).toBeDefined();
});

/** Changes the job in the workflow of the default branch. */
async function setJob(job: object): Promise<void> {
  const path = '/repos/olivia/shop/contents/.github/workflows/autobuild.yml';
  const { content, sha } = (await desk.github.upstream('GET', path)).body as { content: string; sha: string };
  const line = JSON.stringify({ 'runs-on': 'ubuntu-latest', steps: [{ run: 'true' }], ...job });
  const text = Buffer.from(content, 'base64')
    .toString()
    .replace(/build: .*/, () => `build: ${line}`);
  const saved = { message: 'The job', content: Buffer.from(text).toString('base64'), sha };
  expect((await desk.github.upstream('PUT', path, saved)).status).toBe(200);
}

/** A new run, whose job GitHub calls cancelled after so many minutes. */
async function cancelAfter(minutes: number, meanwhile = () => Promise.resolve()): Promise<boolean> {
  const { run } = await desk.begin();
  const [dispatched] = desk.github.workflows.runs;
  await meanwhile();
  desk.clock.ms += minutes * 60_000;
  cancelledAfter(minutes);
  await desk.endActionsRun(dispatched?.id ?? 0, 'cancelled');
  return (await desk.state(run)).paused !== undefined;
}

test.each([
  ['The job has exceeded the maximum execution time of 1h30m0s', 90],
  ['The job has exceeded the maximum execution time of 45m0s', 45],
  ['The job running on runner GitHub Actions 2 has exceeded the maximum execution time of 60 minutes.', 60],
])(
  'R-13: what GitHub says of a job that ran out of time counts, whatever the file says: %s',
  async (said, minutes) => {
    desk = await openAppDesk();
    await setJob({ 'timeout-minutes': `$\{{ fromJSON(vars.MINUTES) }}` });
    await desk.seed(startRun({ startMs: Date.now() - 3_600_000 }).turn());
    desk.clock.ms += minutes * 60_000;
    cancelledAfter(minutes, { messages: [said, 'The operation was canceled.'] });
    await ended('cancelled');
    expect((await desk.state()).paused).toBeUndefined();
    const reason = `the job hit its time limit of ${minutes} minutes`;
    expect(await events()).toContainEqual(expect.objectContaining({ type: 'job_lost', reason }));
  },
);

test('R-13: a limit that was raised while a job ran into the old one is not the one that the job had', async () => {
  desk = await openAppDesk();
  await setJob({ 'timeout-minutes': 30 });
  const isPerson = await cancelAfter(30, () => setJob({ 'timeout-minutes': 350 }));
  expect(isPerson).toBe(false);
  expect(builds()).toBe(2);
});

test.each([
  ['of GitHub, which ends every job after six hours', 'ubuntu-latest', false],
  ['of its own is stopped by a person after six hours', ['self-hosted', 'linux'], true],
])('R-13: a job that may take ten hours on a machine %s', async (_, machine, isPerson) => {
  desk = await openAppDesk();
  await setJob({ 'timeout-minutes': 600, 'runs-on': machine });
  expect(await cancelAfter(361)).toBe(isPerson);
});

test('R-13: a job that waited a day for its runner was not cancelled by a person', async () => {
  desk = await openAppDesk();
  const { run } = await desk.begin();
  const [dispatched] = desk.github.workflows.runs;
  const before = builds();
  desk.clock.ms += 24 * 3_600_000;
  await desk.endActionsRun(dispatched?.id ?? 0, 'cancelled');
  expect((await desk.state(run)).paused).toBeUndefined();
  expect(builds()).toBe(before + 1);
});

test('any other end of a job that was at work is followed by a new job', async () => {
  desk = await openAppDesk();
  await desk.seed(startRun({ startMs: Date.now() - 3_600_000 }).turn());
  const before = builds();
  await ended('failure');
  expect((await desk.state()).paused).toBeUndefined();
  expect(builds()).toBe(before + 1);
});

test('E-13: a job that is cancelled while people are asked: the question is asked again, and nothing is paused', async () => {
  desk = await openAppDesk();
  await desk.seed(askingRun(['colour']));
  const before = builds();
  await ended('cancelled');
  const state = await desk.state();
  expect(state).toMatchObject({ status: 'waiting_for_input', pending: 'e2' });
  expect(state.paused).toBeUndefined();
  expect(builds()).toBe(before);
});

test('a job that is cancelled before it began pauses the run, too', async () => {
  desk = await openAppDesk();
  const { run } = await desk.begin();
  const [dispatched] = desk.github.workflows.runs;
  await desk.endActionsRun(dispatched?.id ?? 0, 'cancelled');
  expect((await desk.state(run)).paused).toBeDefined();
  expect(builds()).toBe(1);
});

test('R-13: the end of a job that was followed by another one is not charged to that one', async () => {
  desk = await openAppDesk();
  const run = startRun({ startMs: Date.now() - 3_600_000 }).turn();
  await desk.seed(run);
  run.feed({ type: 'claim', envelope: run.envelope('handed_over', { guards: run.state.guards }) });
  await desk.seed(run);
  const successor = desk.github.workflows.runs.at(-1)?.id ?? 0;
  await ended('failure');
  expect(await desk.dispatch(2)).toMatchObject({ actions_run: successor, ended_at: undefined });
  expect((await desk.state()).losses).toBeUndefined();
});

test('E-13: the third job in a row that is lost is one question that says why and links to its log', async () => {
  desk = await openAppDesk();
  const run = startRun({ startMs: Date.now() - 3_600_000 })
    .beginTurn()
    .lose()
    .startJob()
    .beginTurn()
    .lose();
  const { issue } = await desk.seed(run.startJob().beginTurn());
  const before = builds();
  await ended('failure');
  expect((await desk.state()).pending).toBe('e1');
  expect(builds()).toBe(before);
  const said = (await desk.olivia.comments(issue)).filter(({ body }) => body.includes('3 jobs in a row'));
  // The status repeats the headline.
  expect(said.map(({ body }) => /autobuild:(\w+)/.exec(body)?.[1])).toEqual(['status', 'escalation']);
  expect(said[1]?.body).toMatch(
    new RegExp(`\\[Log of the last job\\]\\(https?://\\S+/actions/runs/${SEEDED_ACTIONS_RUN}\\)`),
  );
  await desk.olivia.comment(issue, '/continue');
  await desk.settle();
  expect(builds()).toBe(before + 1);
  expect((await desk.state()).losses).toBeUndefined();
});

test('R-6: the token of a job that Actions gave up is void, because its successor may have the same number', async () => {
  desk = await openAppDesk();
  const { run } = await desk.begin();
  const { op = '' } = (await desk.dispatch(1, 'build', run)) ?? {};
  await desk.claim(4_000_077, 1, 'build', run);
  await desk.store.tickets.addToken('token', op);
  await desk.endActionsRun(4_000_077, 'failure');
  expect(await desk.store.tickets.findToken('token')).toBeUndefined();
});

test('R-13: a job that ends while it sets up is one loss, though its successor is dispatched before that is recorded', async () => {
  desk = await openAppDesk();
  const { run } = await desk.begin();
  const [actions = expect.fail('no Actions run')] = desk.github.workflows.runs;
  const { op = '' } = (await desk.dispatch(1, 'build', run)) ?? {};
  const at = desk.deps.now().toISOString();
  await desk.store.dispatches.change(op, { claimed_at: at, heard_at: at, attempt: 1 });
  await desk.github.callAs('olivia', 'POST', `/repos/olivia/shop/actions/runs/${actions.id}/cancel`, {});
  const { runs } = desk.store;
  const { commit } = runs;
  runs.commit = async (...args) => {
    const committed = await commit(...args);
    runs.commit = commit;
    await workLane(desk.deps);
    return committed;
  };
  await onWorkflowRunCompleted(desk.deps, {
    actions_run: actions.id,
    attempt: 1,
    conclusion: 'failure',
    ended_at: at,
  });
  await desk.settle();
  await desk.watchJobs();
  expect((await desk.state(run)).losses).toBe(1);
  expect(desk.github.workflows.runs).toHaveLength(2);
});
