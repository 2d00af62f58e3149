import { afterEach, beforeEach, expect, test } from 'vitest';
import { explainFailure } from '../../../src/app/effects/explain-failure.ts';
import { write } from '../../../src/app/handle-input.ts';
import type { Outgoing } from '../../../src/core/contracts/effect.ts';
import { GitHubError } from '../../../src/core/ports/github-port.ts';
import { type Answer, type Call, refuse } from '../../../src/sandbox/github/gap.ts';
import { createCounters } from '../../../src/web/counters.ts';
import { PASSING, startRun } from '../../core/run-builder.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import { restOnPull } from '../revise-desk.ts';

const SETTINGS = '/olivia/shop/settings/installations';
const counters = createCounters();

let desk: AppDesk;
beforeEach(async () => {
  desk = await openAppDesk({ deps: { counters } });
});
afterEach(() => desk.close());

const isDispatch = ({ path }: Call) => path.endsWith('/dispatches');
const lacking = (permission: string): Answer => ({
  ...refuse(403, 'Resource not accessible by integration'),
  headers: { 'x-accepted-github-permissions': permission },
});
const dispatches = () => desk.exchanges.filter(({ call }) => isDispatch(call)).length;
const replies = async (issue: number) =>
  (await desk.olivia.comments(issue)).map(({ body }) => body).filter((body) => body.includes(':reply '));

const questions = async (issue: number) =>
  (await desk.olivia.comments(issue))
    .map(({ body }) => body)
    .filter((body) => body.includes('autobuild:escalation '));

/** Long enough for everything that is tried again to be tried often. */
async function hours(): Promise<void> {
  for (let time = 0; time < 20; time += 1) {
    await desk.settle();
    desk.clock.ms += 600_000;
  }
}

test('R-13: a dispatch without the permission: one question on the issue, no storm; /continue goes on', async () => {
  desk.interfere((call) => (isDispatch(call) ? lacking('actions=write') : undefined));
  const { issue, run } = await desk.begin();
  await hours();
  expect(dispatches()).toBe(3);
  const [question, ...more] = await questions(issue);
  expect([...more, ...(await replies(issue))]).toEqual([]);
  expect(question).toContain(
    '⏸ Waiting for you: the job cannot be started: the App lacks `actions: write`\n',
  );
  expect(question).toContain(SETTINGS);
  expect(question).toContain('reply `/continue`');
  expect(question).toContain('id=e1.continue -->');
  expect(await desk.state(run)).toMatchObject({ status: 'waiting_for_input', pending: 'e1' });
  expect(await desk.store.outbox.size()).toEqual({ waiting: 0, busy: 0, buried: 0 });
  expect(desk.logged()).toContain('the App lacks `actions: write`');

  desk.interfere(() => undefined);
  await desk.olivia.comment(issue, '/continue');
  await desk.settle();
  expect(desk.github.workflows.runs).toHaveLength(1);
  expect((await desk.state(run)).pending).toBeUndefined();
  expect(await desk.waysOfCommands(run)).toEqual(['comment']);
});

test('S-4: a workflow file that cannot keep the head of a round from its set-up steps starts no job, and the question says what to do', async () => {
  const problem = 'Unexpected inputs provided: ["base_sha"]';
  desk.interfere((call) => (isDispatch(call) ? refuse(422, problem) : undefined));
  const { issue, run } = await desk.begin();
  await hours();
  expect(dispatches()).toBe(1);
  const [question] = await questions(issue);
  expect(question).toContain(
    '`.github/workflows/autobuild.yml` does not accept the inputs that the App sends',
  );
  expect(question).toContain('with `autobuild init --app --force` and commit it');
  expect((await desk.state(run)).pending).toBe('e1');
});

test('a person who tries again in vain is told again', async () => {
  desk.interfere((call) => (isDispatch(call) ? lacking('actions=write') : undefined));
  const { issue, run } = await desk.begin();
  await hours();
  await desk.olivia.comment(issue, '/continue');
  await hours();
  expect((await desk.state(run)).pending).toBe('e2');
  const [first, second] = await questions(issue);
  expect(first).toContain('✓ Answered: decided by olivia');
  expect(second).toContain('cannot be started');
  expect((await desk.state(run)).status).toBe('waiting_for_input');
});

test('Actions switched off after the label: said so', async () => {
  let off = false;
  desk.interfere((call) => {
    if (isDispatch(call)) off = true;
    return off && call.path.includes('/actions/workflows/') ? refuse(404, 'Not Found') : undefined;
  });
  const { issue } = await desk.begin();
  await hours();
  const said = await questions(issue);
  expect(said).toHaveLength(1);
  expect(said[0]).toContain('GitHub Actions for this repository, is disabled');
});

test('a workflow file that takes no dispatch: GitHub’s words, at once', async () => {
  const words = "Workflow does not have 'workflow_dispatch' trigger";
  desk.interfere((call) => (isDispatch(call) ? refuse(422, words) : undefined));
  const { issue, run } = await desk.begin();
  expect(dispatches()).toBe(1);
  const said = await questions(issue);
  expect(said).toHaveLength(1);
  expect(said[0]).toContain('trigger');
  expect(said[0]).toContain('.github/workflows/autobuild.yml');
  expect((await desk.state(run)).pending).toBe('e1');
});

test('R-10: a rate limit is no refusal: nothing is said, and it is tried again', async () => {
  const headers = { 'retry-after': '60' };
  desk.interfere((call) =>
    isDispatch(call) ? { ...refuse(403, 'You have exceeded a secondary rate limit.'), headers } : undefined,
  );
  const { issue, run } = await desk.begin();
  for (let time = 0; time < 5; time += 1) {
    desk.clock.ms += 61_000;
    await desk.settle();
  }
  expect(dispatches()).toBeGreaterThan(4);
  expect(await replies(issue)).toEqual([]);
  desk.interfere(() => undefined);
  await hours();
  expect(desk.github.workflows.runs).toHaveLength(1);
  expect((await desk.state(run)).pending).toBeUndefined();
  const retries = counters.all().find(({ name }) => name === 'autobuild_effect_retries_total');
  expect(retries?.value).toBeGreaterThan(4);
});

test('a fresh job that may not be started: the result is handed over without, and why is said once', async () => {
  desk.interfere((call) => (isDispatch(call) ? lacking('actions=write') : undefined));
  const run = startRun({ freshVerification: true, startMs: Date.now() - 3_600_000 });
  run.turn({ report: { status: 'implemented', summary: 'All done' }, verification: PASSING }).park();
  const { issue } = await desk.seed(run);
  await hours();
  expect((await desk.state()).finished?.reason).toBe('complete, but not verified on a clean checkout');
  const said = (await replies(issue)).filter((body) => body.includes('The verification job cannot be'));
  expect(said).toHaveLength(1);
  expect(dispatches()).toBeLessThan(12);
});

test('another permission that is missing: named on the issue once, with where to grant it', async () => {
  desk.interfere(({ method, path, caller }) =>
    caller.kind === 'installation' && method === 'POST' && /\/issues\/\d+\/labels$/.test(path)
      ? lacking('issues=write; pull_requests=write')
      : undefined,
  );
  const { issue } = await desk.begin();
  await hours();
  const said = await replies(issue);
  expect(said).toHaveLength(1);
  expect(said[0]).toContain('the App lacks `issues: write` or `pull_requests: write`.');
  expect(said[0]).toContain(SETTINGS);
  expect((await desk.store.outbox.size()).waiting).toBe(0);
});

const archive = () => desk.github.upstream('PATCH', '/repos/olivia/shop', { archived: true });
const written = () =>
  desk.exchanges.filter(({ call }) => call.caller.kind === 'installation' && call.method !== 'GET').length;

test('an archived repository is left alone: the run ends by the first refused write, and nothing is tried again', async () => {
  const { run } = await desk.begin();
  await archive();
  desk.interfere(({ method, caller }) =>
    caller.kind === 'installation' && method !== 'GET'
      ? refuse(403, 'Repository was archived so is read-only.')
      : undefined,
  );
  await write(desk.deps, run, [{ type: 'reply', reply: { tone: 'info', title: 'Hello.' } }]);
  await hours();
  expect((await desk.state(run)).finished?.reason).toContain('olivia/shop is archived');
  expect((await desk.store.outbox.size()).waiting).toBe(0);
  desk.exchanges.length = 0;
  await hours();
  await desk.reconcile();
  expect(written()).toBe(0);
  expect(desk.exchanges.filter(({ call }) => call.path.includes('/issues'))).toEqual([]);
});

test('R-13: a status that GitHub refused often is written when GitHub takes it again, also after the end of the run', async () => {
  const { issue, run } = await desk.begin();
  await desk.settle();
  desk.interfere((call) =>
    /\/labels|\/issues\/comments\//.test(call.path) && call.method !== 'GET'
      ? refuse(403, 'Resource not accessible by integration')
      : undefined,
  );
  await desk.olivia.comment(issue, '/cancel');
  for (let time = 0; time < 6; time += 1) {
    await desk.settle();
    desk.clock.ms += 600_000;
  }
  expect((await desk.state(run)).status).toBe('cancelled');
  expect(await desk.olivia.labels(issue)).toContain('autobuild:running');
  desk.interfere(() => undefined);
  await hours();
  const status = (await desk.olivia.comments(issue)).find(({ body }) => body.includes(':status '));
  expect(status?.body).toContain('Cancelled by olivia');
  const labels = await desk.olivia.labels(issue);
  expect(labels).toContain('autobuild:stopped');
  expect(labels).not.toContain('autobuild:running');
});

test('R-10: the first refusal after an outage is tried again like any first one', async () => {
  const answers = [refuse(502, 'Bad gateway'), refuse(502, 'Bad gateway'), lacking('actions=write')];
  desk.interfere((call) => (isDispatch(call) ? answers.shift() : undefined));
  const { issue, run } = await desk.begin();
  await hours();
  expect(dispatches()).toBe(4);
  expect((await desk.state(run)).pending).toBeUndefined();
  expect(await replies(issue)).toEqual([]);
});

test('R-13: a dispatch that GitHub does not find is asked about, though GitHub does not tell why', async () => {
  desk.interfere((call) => {
    if (isDispatch(call)) return refuse(404, 'Not Found');
    return dispatches() > 0 && call.path.endsWith('/actions/workflows/autobuild.yml')
      ? refuse(403, 'Forbidden')
      : undefined;
  });
  const { issue, run } = await desk.begin();
  await hours();
  expect((await desk.state(run)).pending).toBe('e1');
  expect(await questions(issue)).toHaveLength(1);
});

test('R-13: a refusal that could not be decided leaves no dispatch that is waited for', async () => {
  const { runs } = desk.store;
  const { commit } = runs;
  runs.commit = (id, version, decided) =>
    decided.input.type === 'dispatch_refused'
      ? Promise.reject(new Error('not now'))
      : commit(id, version, decided);
  desk.interfere((call) => (isDispatch(call) ? refuse(422, 'No') : undefined));
  const { run } = await desk.begin();
  await hours();
  expect(await desk.store.outbox.size()).toMatchObject({ waiting: 0, buried: 1 });
  runs.commit = commit;
  desk.interfere(() => undefined);
  await desk.watchJobs();
  expect(desk.github.workflows.runs).toHaveLength(1);
  expect((await desk.state(run)).losses).toBe(1);
});

test('R-13: a round for which GitHub refuses a request does not begin, which is told, and the next one does', async () => {
  const work = await restOnPull(desk);
  let refused = 0;
  desk.interfere(({ path, caller }) => {
    if (!path.endsWith('/graphql') || caller.kind !== 'installation' || refused > 0) return undefined;
    refused += 1;
    return refuse(422, 'Unprocessable');
  });
  await desk.olivia.comment(work.issue, '/guide Use a constant');
  await desk.settle();
  expect(refused).toBe(1);
  const said = (await replies(work.issue)).join('\n');
  expect(said).toContain('No round was started: GitHub rejected a request that the round needs.');
  expect(said).toContain('GitHub says: Unprocessable.');
  expect((await desk.state()).asked_revisions ?? []).toEqual([]);
  expect(await desk.store.outbox.size()).toMatchObject({ buried: 0 });
  await desk.olivia.comment(work.issue, '/guide Use a constant');
  await desk.settle();
  expect((await desk.state()).revision).toMatchObject({ number: 2 });
});

const escalation = 'e1';
const reply = { tone: 'info' as const, title: 'Hello.' };

/** Every effect, and a word of what people read if GitHub refuses it. `null`: they are not told. */
const EVERY: {
  [Type in Outgoing['type']]: [Omit<Extract<Outgoing, { type: Type }>, 'type'>, string | null];
} = {
  publish: [{ ready: true }, 'The work cannot be committed'],
  dispatch_job: [{}, 'The job cannot be started'],
  dispatch_verification: [{}, 'The verification job cannot be started'],
  stop_job: [{}, 'Cancel it in the Actions tab.'],
  stop_verification: [{}, 'The verification job cannot be cancelled'],
  run_ci: [{ head: 'a'.repeat(40), pull: 1 }, 'The description of the pull request cannot be written'],
  describe_pull: [{}, 'The description of the pull request cannot be written'],
  collect_revision: [{}, 'No round was started'],
  answer_remarks: [{ round: 2 }, 'The replies to the remarks cannot be written'],
  settle_pull: [{ pull: 1 }, 'The merged or closed pull request cannot be read'],
  show_ci: [{ number: 1 }, 'The comment about CI cannot be written'],
  update_status: [{}, 'The status cannot be shown here'],
  ask: [{ escalation }, 'Reply `/review` to be asked again.'],
  close_question: [{ escalation }, 'Your answer still counts.'],
  show_review: [{}, 'The history cannot be shown here'],
  show_receipt: [{}, 'The receipt cannot be written here'],
  notify: [{ escalation, priority: 'normal', reminder: 1 }, 'The reminder cannot be written here'],
  delete_comment: [{ comment: 1 }, 'Delete it yourself, and replace the secret.'],
  reply: [{ reply, on: 1 }, 'A reply on the pull request cannot be written'],
  notice: [{} as never, null],
  react: [{ source: 'comment:1', reaction: 'eyes' }, null],
  save_blocked_report: [{} as never, null],
  forget_inputs: [{}, null],
};

/** Told by decisions of their own, which have their own tests. */
const DECIDED: readonly string[] = ['dispatch_job', 'dispatch_verification', 'collect_revision'];

test.each([
  [422, 1],
  [403, 3],
  [404, 18],
])('R-13: no effect is given up in silence after a %i', async (status, attempts) => {
  const { issue, run } = await desk.begin();
  const fail = async (effect: object) => {
    const before = await replies(issue);
    const error = new GitHubError('GitHub answered POST /x with 400: Not so', { status });
    await explainFailure(desk.deps, { id: 'x', run, lane: 'l', effect: effect as Outgoing, attempts }, error);
    await desk.settle();
    return (await replies(issue)).filter((body) => !before.includes(body));
  };
  const told: [string, string | null][] = [];
  const expected: [string, string | null][] = [];
  for (const [type, [fields, words]] of Object.entries(EVERY)) {
    // The words of the description are said once.
    if (DECIDED.includes(type) || type === 'describe_pull') continue;
    const [said, ...more] = await fail({ type, ...fields });
    expect(more).toEqual([]);
    expected.push([type, words]);
    told.push([type, said === undefined ? null : words !== null && said.includes(words) ? words : said]);
  }
  expect(told).toEqual(expected);
  expect(await fail({ type: 'reply', reply })).toEqual([]);
});
