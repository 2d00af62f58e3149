import { beforeEach, expect, test } from 'vitest';
import { actAndSettle, putChangeset } from '../published-run.ts';
import { finishRound, giveValue, pushFiles, takeRound, VALUE } from '../revise-desk.ts';
import { useReviseScene } from '../revise-scene.ts';

const FIXED = [{ id: 'R1', result: 'fixed' }];
const LINE = { path: 'src/login.ts', line: 1 };

const scene = useReviseScene();
const { begin, changeset, described, finish, remark, said } = scene;
let { desk, work, branch } = scene;
beforeEach(() => {
  ({ desk, work, branch } = scene);
});

test('V-3: remarks that the agent left unanswered, or whose file it did not change, stay open', async () => {
  await remark(
    { ...LINE, body: 'A constant?' },
    { ...LINE, body: 'Is this needed?' },
    { path: 'README.md', line: 1, body: 'Say it here, too' },
  );
  expect((await begin())?.remarks).toHaveLength(3);
  const answers = [
    { id: 'R1', result: 'fixed' },
    { id: 'R3', result: 'fixed' },
  ];
  await finishRound(desk, await takeRound(desk, work.run), { text: 'two\n', remarks: answers });
  expect(await described()).toContain('**Address 2 open remarks** (2 by walter): starts round 3.');
  expect((await begin())?.remarks.map(({ text }) => text)).toEqual(['Is this needed?', 'Say it here, too']);
});

test('V-2: the words of a review are still open after a round that failed, and settled by one with a result', async () => {
  await actAndSettle(desk, 'pull_request_review', () =>
    desk.person('walter').review(work.number, 'REQUEST_CHANGES', 'Do it otherwise.'),
  );
  expect((await begin())?.remarks.map(({ text }) => text)).toEqual(['Do it otherwise.']);
  const run = await takeRound(desk, work.run);
  await desk.seed(run.turn({ report: { status: 'failed', summary: 'No way', remarks: FIXED } }));
  expect((await desk.state()).revisions).toMatchObject([{ outcome: 'failed' }]);
  expect((await begin())?.remarks.map(({ text }) => text)).toEqual(['Do it otherwise.']);
  await finish({ remarks: FIXED });
  expect(await described()).not.toContain('r.address');
  expect(await begin()).toBeUndefined();
  expect(await said()).toContain('Nothing to do: there are no open remarks.');
});

test('V-2: the words of a review that the agent did not answer stay open', async () => {
  await actAndSettle(desk, 'pull_request_review', () =>
    desk.person('walter').review(work.number, 'REQUEST_CHANGES', 'Do it otherwise.'),
  );
  await begin();
  await finishRound(desk, await takeRound(desk, work.run), { text: 'two\n' });
  expect((await begin())?.remarks.map(({ text }) => text)).toEqual(['Do it otherwise.']);
});

test('V-3: what is written or edited while a round is at work is for the next one', async () => {
  await remark(
    { ...LINE, body: 'A constant?' },
    { ...LINE, body: 'Is this needed?' },
    { ...LINE, body: 'Why?' },
  );
  const [first, second] = await desk.person('walter').remarks(work.number);
  await begin();
  const run = await takeRound(desk, work.run);
  await desk.person('walter').editRemark({ id: first?.id ?? 0 }, 'An enum, please.');
  await desk.person('walter').remark(work.number, { replyTo: second?.id ?? 0, body: 'And a test.' });
  await desk.settle();
  const remarks = ['R1', 'R2', 'R3'].map((id) => ({ id, result: 'fixed' }));
  await finishRound(desk, run, { text: 'two\n', remarks });
  expect(await described()).toContain('**Address 2 open remarks** (2 by walter): starts round 3.');
  expect((await begin())?.remarks.map(({ text }) => text)).toEqual(['An enum, please.', 'And a test.']);
});

test('V-3: a review that is edited while its round is at work is read again', async () => {
  const { id } = await actAndSettle(desk, 'pull_request_review', () =>
    desk.person('walter').review(work.number, 'REQUEST_CHANGES', 'Do it otherwise.'),
  );
  await begin();
  const run = await takeRound(desk, work.run);
  const review = desk.github.reviews.review(id);
  if (!review) expect.fail('no review');
  review.body = 'Do it otherwise, and test it.';
  review.edit = { at: new Date().toISOString(), by: { login: 'walter', bot: false } };
  run.sleep(600);
  await finishRound(desk, run, { text: 'two\n', remarks: FIXED });
  expect((await begin())?.remarks.map(({ text }) => text)).toEqual(['Do it otherwise, and test it.']);
});

test('V-5: a round with an instruction alone begins without the files of the round before', async () => {
  await begin('/guide Use a constant');
  await finishRound(desk, await takeRound(desk, work.run), { text: 'two\n' });
  expect((await changeset()).files).toHaveLength(1);
  const round = await begin('/guide Add a test');
  expect(await changeset()).toMatchObject({ base_sha: round?.head, files: [] });
});

/** CI fails on the newest head. */
async function failCi(): Promise<void> {
  const log = '     Error: expect(locator).toHaveText: "Paid" – received "Pending"';
  await desk.github.ci.report(await work.head(), {
    workflow: 'ci.yml',
    runs: [
      { name: 'e2e', conclusion: 'failure', steps: [{ name: 'Run tests', conclusion: 'failure' }], log },
    ],
  });
  await desk.settle();
}

test('V-7: a round about failing CI alone begins without the files of the round before', async () => {
  await begin('/guide Use a constant');
  await finishRound(desk, await takeRound(desk, work.run), { text: 'two\n' });
  await failCi();
  const round = await begin();
  expect(round).toMatchObject({ remarks: [], ci: [{ name: 'e2e' }] });
  expect(await changeset()).toMatchObject({ base_sha: round?.head, files: [] });
});

test('V-7: the same error in three rounds is a question, and its answer begins the next round with the log', async () => {
  await failCi();
  for (const text of ['two\n', 'three\n']) {
    expect((await begin())?.ci).toHaveLength(1);
    await finishRound(desk, await takeRound(desk, work.run), { text });
    await failCi();
  }
  expect(await desk.state()).toMatchObject({ status: 'waiting_for_input', pending: expect.any(String) });
  const [question] = (await desk.olivia.comments(work.issue)).filter(({ body }) =>
    body.includes(':escalation '),
  );
  expect(question?.body).toContain('CI fails with the same error 3 rounds in a row');
  if (!question) expect.fail('no question');
  await desk.olivia.tick(question, 'fix-ci');
  await desk.settle();
  const { status, pending, revision } = await desk.state();
  expect({ status, pending }).toEqual({ status: 'building', pending: undefined });
  expect(revision).toMatchObject({ number: 4, by: 'olivia', source: 'ci', head: await work.head() });
  expect(revision?.ci).toMatchObject([{ name: 'e2e', log: expect.stringContaining('received "Pending"') }]);
  expect(await changeset()).toMatchObject({ base_sha: revision?.head, files: [] });
});

/** GitHub takes no commit until it is told to. */
function refuseCommits(isRefused: boolean): void {
  desk.interfere(({ method, path }) =>
    isRefused && method === 'POST' && path.endsWith('/git/commits')
      ? { status: 422, body: { message: 'Not today' } }
      : undefined,
  );
}

/** A round whose work is not published. */
async function endUnpublished(): Promise<void> {
  await begin('/guide Use a constant');
  const run = await takeRound(desk, work.run);
  refuseCommits(true);
  await finishRound(desk, run, { text: 'two\n' });
  refuseCommits(false);
  expect((await desk.store.publications.of('r1')).unpublished).toMatchObject({ why: expect.any(String) });
}

test('V-5: work that was not published is what the next round begins with, also if nothing else is asked for', async () => {
  await endUnpublished();
  const round = await begin();
  expect(round).toMatchObject({ number: 3, unpublished: true, remarks: [] });
  expect(await changeset()).toMatchObject({ base_sha: round?.head, files: [{ path: 'src/login.ts' }] });
  expect(await said()).toContain('Round 3 begins: the work that was not published.');
});

test('V-5: so is the work of the build, whose earlier state is on the branch', async () => {
  await putChangeset(desk, 'two\n');
  await desk.store.publications.change('r1', {
    unpublished: { why: 'GitHub rejected the work', detail: '' },
  });
  const round = await begin();
  expect(round).toMatchObject({ number: 2, unpublished: true });
  expect(await changeset()).toMatchObject({ base_sha: await work.head(), files: [{ path: 'src/login.ts' }] });
});

test('V-5: it is put on commits that came since; files that others changed stay as they have them', async () => {
  await endUnpublished();
  const pushed = await pushFiles(desk, branch, { 'by-hand.txt': 'theirs\n' });
  await begin();
  expect(await changeset()).toMatchObject({ base_sha: pushed, files: [{ path: 'src/login.ts' }] });
});

test('V-5: work that is not published and whose files others changed is not put over theirs, and people are told', async () => {
  await endUnpublished();
  const pushed = await pushFiles(desk, branch, { 'src/login.ts': 'theirs\n' });
  const round = await begin('/guide And a test');
  expect(round).toMatchObject({ head: pushed });
  expect(round?.unpublished).toBeUndefined();
  expect(await changeset()).toMatchObject({ base_sha: pushed, files: [] });
  expect(await said()).toContain(
    'The next round starts without these files of the work that was not published: they have changed on the branch since.',
  );
});

test('S-13, V-5: work with a value that people gave is not what the next round begins with', async () => {
  await begin('/guide Use a constant');
  const run = await giveValue(desk, work, await takeRound(desk, work.run));
  await finishRound(desk, run, { text: `const token = '${VALUE}';\n` });
  expect((await desk.store.publications.of('r1')).unpublished?.why).toBe('it contains secret values');
  const round = await begin('/guide Read it from the environment');
  expect(round?.unpublished).toBeUndefined();
  expect(await changeset()).toMatchObject({ base_sha: round?.head, files: [] });
  expect(await said()).toContain('they can no longer be searched for the values you provided.');
});

test('V-4: replies of a review that could not be submitted settle nothing; the next round answers again, in one review', async () => {
  await remark({ ...LINE, body: 'A constant?' });
  await begin();
  const run = await takeRound(desk, work.run);
  desk.interfere(({ body }) =>
    String(body.query).includes('submitPullRequestReview')
      ? { status: 422, body: { message: 'Not today' } }
      : undefined,
  );
  await finishRound(desk, run, { text: 'two\n', remarks: FIXED });
  desk.interfere(() => undefined);
  await desk.perform({ type: 'describe_pull' });
  expect(await described()).toContain('**Address 1 open remark** (1 by walter): starts round 3.');
  const round = await begin();
  expect(round?.remarks).toMatchObject([{ text: 'A constant?' }]);
  expect(round?.remarks[0]?.thread_before).toBeUndefined();
  await finishRound(desk, await takeRound(desk, work.run), { text: 'three\n', remarks: FIXED });
  const reviews = (await desk.person('walter').reviews(work.number)).filter(
    ({ user }) => user.login === 'autobuild[bot]',
  );
  expect(reviews.map(({ state }) => state)).toEqual(['COMMENTED']);
  expect(await described()).not.toContain('r.address');
});
