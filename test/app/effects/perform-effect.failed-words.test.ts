import { beforeEach, expect, test } from 'vitest';
import { ciBoxId } from '../../../src/comments/github/sections/branch-standing.ts';
import { inputsByAnswer } from '../../../src/core/secrets/secrets-of-run.ts';
import { type Call, refuse } from '../../../src/sandbox/github/gap.ts';
import { actAndSettle } from '../published-run.ts';
import { finishRound, giveValue, takeRound, VALUE } from '../revise-desk.ts';
import { useReviseScene } from '../revise-scene.ts';

const FIXED = [{ id: 'R1', result: 'fixed' }];
const HOUR_MS = 3_600_000;

const scene = useReviseScene();
const { begin, described, finish, remark } = scene;
let { desk, work } = scene;
beforeEach(() => {
  ({ desk, work } = scene);
});

const isReceipt = ({ method, body }: Call) =>
  method !== 'GET' && String(body.body).includes('autobuild:receipt ');
const isAnswer = ({ body }: Call) => String(body.query).includes('submitPullRequestReview');
const isDescription = ({ method, path, body }: Call) =>
  (method === 'PATCH' && /\/pulls\/\d+$/.test(path)) || String(body.query).includes('updatePullRequest');
const isOfApp = ({ caller }: Call) => caller.kind === 'installation';
const fail = (isMeant: (call: Call) => boolean, status = 403) =>
  desk.interfere((call) => (isOfApp(call) && isMeant(call) ? refuse(status, 'Not now') : undefined));
const heal = async () => {
  desk.interfere(() => undefined);
  desk.clock.ms += HOUR_MS;
  await desk.settle();
};
const answers = async () =>
  (await desk.person('walter').reviews(work.number))
    .filter(({ user }) => user.login === 'autobuild[bot]')
    .map(({ body }) => body);

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

test.each([
  ['the receipt', isReceipt],
  ['the answers to remarks', isAnswer],
  ['the description', isDescription],
])(
  'R-3: the next round begins though GitHub does not take %s, and is not about remarks that are settled',
  async (_, isMeant) => {
    const run = await takeFirstOfTwo();
    fail(isMeant);
    await finishRound(desk, run, { text: 'two\n', remarks: FIXED });
    const { revision } = await desk.state();
    expect(revision).toMatchObject({ number: 3, remarks: [{ text: 'And a test.' }] });
  },
);

test('R-11: values are deleted at once though GitHub refuses the receipt', async () => {
  const run = await giveValue(desk, work, await takeRemark());
  const given = inputsByAnswer(run.state).flatMap((inputs) => Object.values(inputs).map(({ ref }) => ref));
  expect(Object.values(await desk.store.vault.open('r1', given))).toEqual([VALUE]);
  fail(isReceipt);
  await finishRound(desk, run, { text: 'two\n', remarks: FIXED });
  expect(await desk.store.vault.open('r1', given)).toEqual({});
});

test('V-4: answers that come late name the commit of their round, and claim no checks of a later one', async () => {
  const run = await takeFirstOfTwo();
  fail(isAnswer);
  await finishRound(desk, run, { text: 'two\n', remarks: FIXED });
  const second = (await work.head()).slice(0, 7);
  await finish({ text: 'three\n', remarks: FIXED });
  const third = (await work.head()).slice(0, 7);
  expect(third).not.toBe(second);
  expect(await answers()).toEqual([]);
  await heal();
  const written = await answers();
  expect(written).toHaveLength(2);
  expect(written.find((body) => body.includes('**Round 2:'))).toContain(
    `**Round 2: 1 fixed.** \`${second}\`. @walter`,
  );
  expect(written.find((body) => body.includes('**Round 3:'))).toContain(`\`${third}\`, verified`);
  const replies = (await desk.person('walter').remarks(work.number)).map(({ body }) => body);
  expect(replies.filter((body) => body.includes(`Fixed in \`${second}\``))).toHaveLength(1);
});

test('V-4: answers that are late are not dropped because the work of a later round is not published', async () => {
  const run = await takeFirstOfTwo();
  fail(isAnswer);
  await finishRound(desk, run, { text: 'two\n', remarks: FIXED });
  await scene.finishUnpublished({ remarks: FIXED });
  await heal();
  const written = await answers();
  expect(written).toHaveLength(1);
  expect(written[0]).toContain('**Round 2: 1 fixed.**');
});

test('V-3: remarks count as answered while their answer is tried, and as open again when it is given up', async () => {
  const run = await takeRemark();
  fail(isAnswer);
  await finishRound(desk, run, { text: 'two\n', remarks: FIXED });
  expect(await described()).not.toContain('open remark');
  fail(isAnswer, 422);
  desk.clock.ms += HOUR_MS;
  await desk.settle();
  expect(await answers()).toEqual([]);
  expect(await described()).toContain('**Address 1 open remark**');
});

test('V-8: CI counts as started though GitHub does not take the description, which shows it later', async () => {
  const head = await work.head();
  fail(isDescription);
  await actAndSettle(desk, 'pull_request', async () => desk.person('walter').tickRunCi(await work.pull()));
  expect((await work.messages())[0]).not.toContain('[skip ci]');
  expect((await begin('/guide Use a constant'))?.number).toBe(2);
  await heal();
  expect(await described()).not.toContain(ciBoxId(head));
});
