import { beforeEach, expect, test } from 'vitest';
import { type Call, refuse } from '../../../src/sandbox/github/gap.ts';
import { actAndSettle } from '../published-run.ts';
import { finishRound, takeRound } from '../revise-desk.ts';
import { useReviseScene } from '../revise-scene.ts';

const FIXED = [{ id: 'R1', result: 'fixed' }];

const scene = useReviseScene();
const { begin, described, remark } = scene;
let { desk, work } = scene;
beforeEach(() => {
  ({ desk, work } = scene);
});

const isReceipt = ({ method, body }: Call) =>
  method !== 'GET' && String(body.body).includes('autobuild:receipt ');
const isAnswer = ({ body }: Call) => String(body.query).includes('submitPullRequestReview');
const isTree = ({ method, path }: Call) => method === 'POST' && path.endsWith('/git/trees');
const fail = (isMeant: (call: Call) => boolean, status = 502) =>
  desk.interfere((call) => (isMeant(call) ? refuse(status, 'Not now') : undefined));
const answers = async () =>
  (await desk.person('walter').reviews(work.number)).filter(({ user }) => user.login === 'autobuild[bot]');
/** How often something was sent since the test began to count. */
const sent = (isMeant: (call: Call) => boolean) => desk.exchanges.filter(({ call }) => isMeant(call)).length;

/** A remark of walter's, and the job that works on it. */
async function takeRemark() {
  await remark({ path: 'src/login.ts', line: 1, body: 'A constant?' });
  await begin();
  return takeRound(desk, work.run);
}

/** The same, and walter asks for another round meanwhile. */
async function takeFirstOfTwo() {
  await remark({ path: 'src/login.ts', line: 1, body: 'A constant?' });
  await begin();
  await actAndSettle(desk, 'pull_request_review', () =>
    desk.person('walter').review(work.number, 'REQUEST_CHANGES', 'And a test.'),
  );
  return takeRound(desk, work.run);
}

test('R-11: values are deleted at once though GitHub refuses the receipt', async () => {
  const { run } = await desk.begin();
  const issue = (await desk.store.runs.target(run))?.issue ?? 0;
  const ref = await desk.store.vault.put(run, 'token', 'correct-horse-battery-9');
  fail(isReceipt, 403);
  await desk.olivia.comment(issue, '/cancel');
  await desk.settle();
  expect(await desk.store.vault.open(run, [ref])).toEqual({});
});

test.each([
  ['the receipt', isReceipt],
  ['the answers to remarks', isAnswer],
])('R-3: the next round begins though GitHub does not take %s', async (_, isMeant) => {
  const run = await takeFirstOfTwo();
  fail(isMeant);
  await finishRound(desk, run, { text: 'two\n', remarks: FIXED });
  for (let seconds = 0; seconds <= 40; seconds += 10) {
    desk.clock.ms += 10_000;
    await desk.settle();
  }
  expect((await desk.state()).revision?.number).toBe(3);
});

test('V-3: a round waits for the answers of the one before, so that it is not about the same remarks', async () => {
  const run = await takeFirstOfTwo();
  fail(isAnswer);
  await finishRound(desk, run, { text: 'two\n', remarks: FIXED });
  expect((await desk.state()).revision).toBeUndefined();
  desk.interfere(() => undefined);
  desk.clock.ms += 11_000;
  await desk.settle();
  const { revision } = await desk.state();
  expect(revision?.remarks.map(({ text }) => text)).toEqual(['And a test.']);
});

test('R-10: what tells of the work waits for it, and is written in the same moment as it is', async () => {
  const run = await takeRemark();
  desk.exchanges.length = 0;
  fail(isTree);
  await finishRound(desk, run, { text: 'two\n', remarks: FIXED });
  expect([sent(isReceipt), sent(isAnswer)]).toEqual([0, 0]);
  desk.interfere(() => undefined);
  desk.clock.ms += 2_000;
  await desk.settle();
  expect([sent(isReceipt), await answers()]).toMatchObject([1, [{ state: 'COMMENTED' }]]);
  expect(await described()).not.toContain('open remark');
  desk.clock.ms += 60_000;
  await desk.settle();
  expect([sent(isReceipt), await answers()]).toMatchObject([1, [{ state: 'COMMENTED' }]]);
});

test('R-10: the receipt is written at once when publishing is given up', async () => {
  const run = await takeRemark();
  desk.exchanges.length = 0;
  fail(isTree, 403);
  await finishRound(desk, run, { text: 'two\n', remarks: FIXED });
  for (let seconds = 0; seconds < 8; seconds += 1) {
    desk.clock.ms += 1_000;
    await desk.settle();
  }
  expect([sent(isReceipt), await answers()]).toEqual([1, []]);
});

test('V-3: the description counts a remark as open until its answer is there, and then no more', async () => {
  const run = await takeRemark();
  fail(isAnswer);
  await finishRound(desk, run, { text: 'two\n', remarks: FIXED });
  expect(await described()).toContain('**Address 1 open remark**');
  // GitHub's word of the review would do the same.
  desk.loseWebhooks(true);
  desk.interfere(() => undefined);
  desk.clock.ms += 5_000;
  await desk.settle();
  expect(await described()).not.toContain('open remark');
});

test('V-4: a round is answered, though the work before it was refused and its own first push failed', async () => {
  const refused = await takeRemark();
  fail(isTree, 422);
  await finishRound(desk, refused, { text: 'two\n', remarks: FIXED });
  desk.interfere(() => undefined);
  expect(await answers()).toEqual([]);
  await begin();
  const run = await takeRound(desk, refused);
  fail(isTree);
  await finishRound(desk, run, { text: 'three\n', remarks: FIXED });
  desk.interfere(() => undefined);
  desk.clock.ms += 60_000;
  await desk.settle();
  expect(await answers()).not.toEqual([]);
});
