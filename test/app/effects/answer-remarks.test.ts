import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type GitHub, GitHubError } from '../../../src/core/ports/github-port.ts';
import { PASSING } from '../../core/run-builder.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import { commitOnBranch, type Published } from '../published-run.ts';
import {
  beginRound,
  finishRound,
  putRoundWork,
  remarkUnseen,
  restOnPull,
  takeRound,
} from '../revise-desk.ts';

const HOUR_MS = 3_600_000;
const LINE = { path: 'src/login.ts', line: 1 };
const ROUND = { type: 'answer_remarks' as const, round: 2 };
const WRITES = ['beginReview', 'replyInReview', 'submitReview', 'replyToRemark', 'requestReview'] as const;

let desk: AppDesk;
let work: Published & { number: number };
beforeEach(async () => {
  desk = await openAppDesk();
  work = await restOnPull(desk);
  await remarkUnseen(desk, work.number, [
    { ...LINE, body: 'A constant?' },
    { ...LINE, body: 'Is this needed?' },
    { path: 'src/login.ts', body: 'Where is its test?' },
  ]);
});
afterEach(() => desk?.close());

/** The round at its end: everything is published and answered by the lane. */
async function endRound(meanwhile: () => Promise<unknown> = async () => undefined): Promise<void> {
  const head = await work.head();
  const run = await beginRound(desk, work.run, head, work.number);
  await meanwhile();
  await putRoundWork(desk, head, 'two\n');
  run.turn({
    report: {
      status: 'implemented',
      summary: 'Did it',
      remarks: [
        { id: 'R1', result: 'fixed', note: 'It is one now. @everyone <!-- x -->' },
        { id: 'R2', result: 'declined', note: 'It is used elsewhere.' },
        { id: 'R3', result: 'question', note: 'Which runner?' },
        { id: 'R9', result: 'fixed' },
      ],
    },
    verification: PASSING,
    changes: { paths: ['src/login.ts'], added: 1, removed: 1 },
  });
  await desk.seed(run.park());
}

/** Every call of the App that writes a review passes here. */
function watchWrites(onWrite: (name: string, call: () => Promise<unknown>) => Promise<unknown>): void {
  const { deps } = desk;
  const open = deps.github;
  deps.github = async (where) => {
    const github = await open(where);
    const watched = WRITES.map((name) => [
      name,
      (...given: never[]) =>
        onWrite(name, () => (github[name] as (...all: never[]) => Promise<unknown>)(...given)),
    ]);
    return { ...github, ...Object.fromEntries(watched) } as GitHub;
  };
}

async function ours() {
  const walter = desk.person('walter');
  const mine = ({ user }: { user: { login: string } }) => user.login === 'autobuild[bot]';
  return {
    reviews: (await walter.reviews(work.number)).filter(mine),
    replies: (await walter.remarks(work.number)).filter(mine),
  };
}

const lastLines = (items: { body: string }[]) => items.map(({ body }) => body.split('\n').at(-1));

test('V-4: one review answers all remarks, harmless; the reviewer who blocks is asked again once', async () => {
  const asked: string[] = [];
  watchWrites((name, call) => {
    asked.push(name);
    return call();
  });
  await endRound();
  const head = (await work.head()).slice(0, 7);
  const { reviews, replies } = await ours();
  expect(reviews).toHaveLength(1);
  expect(reviews[0]?.state).toBe('COMMENTED');
  expect(reviews[0]?.body).toContain('**Round 2: 1 fixed, 1 not changed, 1 with a question.**');
  expect(lastLines(replies)).toEqual([
    expect.stringContaining(`Fixed in \`${head}\`. “It is one now.`),
    'Not changed. “It is used elsewhere.”',
    'The agent asks: “Which runner?” Reply with `/guide <your answer>`.',
  ]);
  expect(replies[0]?.body).toContain('`@everyone` &lt;!-- x --&gt;');
  expect(asked.filter((name) => name === 'requestReview')).toHaveLength(1);
  const { body } = await desk.github.upstream('GET', `/repos/olivia/shop/pulls/${work.number}`);
  expect(body).toMatchObject({ requested_reviewers: [{ login: 'walter' }] });
  expect(desk.github.reviews.threads(work.number).every(({ resolved }) => !resolved)).toBe(true);
});

const STEPS = [0, 1, 2, 3];
test.each([
  ...STEPS.map((step) => [step, 'before'] as const),
  ...STEPS.map((step) => [step, 'after'] as const),
])('V-4: a desk that dies at step %i, %s the call, doubles nothing', async (step, when) => {
  let calls = 0;
  watchWrites(async (_, call) => {
    const dies = calls === step;
    calls += 1;
    if (dies && when === 'before') throw new Error('killed');
    const answer = await call();
    if (dies) throw new Error('killed');
    return answer;
  });
  await endRound();
  await desk.perform(ROUND).catch(() => undefined);
  await desk.perform(ROUND);
  desk.clock.ms += HOUR_MS;
  await desk.settle();
  const { reviews, replies } = await ours();
  expect(reviews).toHaveLength(1);
  expect(replies.map(({ in_reply_to_id }) => in_reply_to_id)).toEqual([
    ...new Set(replies.map(({ in_reply_to_id }) => in_reply_to_id)),
  ]);
  expect(replies).toHaveLength(3);
});

test('V-4: GitHub makes some replies of a call and not the others: the next try adds the missing ones', async () => {
  const { reply } = desk.github.reviews;
  let replies = 0;
  vi.spyOn(desk.github.reviews, 'reply').mockImplementation((...given) => {
    replies += 1;
    if (replies === 2) throw new Error('was submitted too quickly');
    return reply(...given);
  });
  await endRound();
  expect(replies).toBe(3);
  expect((await ours()).reviews).toEqual([]);
  desk.clock.ms += HOUR_MS;
  await desk.settle();
  expect(replies).toBe(4);
  const { reviews, replies: written } = await ours();
  expect(reviews).toHaveLength(1);
  expect(new Set(written.map(({ in_reply_to_id }) => in_reply_to_id)).size).toBe(3);
  expect(written).toHaveLength(3);
});

test('V-4: where no review can be begun, replies are written one by one, and once', async () => {
  watchWrites((name, call) =>
    name === 'beginReview' ? Promise.reject(new GitHubError('no', { status: 422 })) : call(),
  );
  await endRound();
  await desk.perform(ROUND);
  expect((await ours()).replies).toHaveLength(3);
  const summaries = (await desk.olivia.comments(work.number)).filter(({ body }) =>
    body.includes('**Round 2:'),
  );
  expect(summaries).toHaveLength(1);
});

test('R-13: a reworded summary of a round comes back, and nothing else is written or asked again', async () => {
  let isRefused = true;
  watchWrites((name, call) =>
    isRefused && name === 'beginReview' ? Promise.reject(new GitHubError('no', { status: 422 })) : call(),
  );
  await endRound();
  isRefused = false;
  const summary = (await desk.olivia.comments(work.number)).find(({ body }) => body.includes('**Round 2:'));
  if (!summary) return expect.fail('no summary');
  const before = desk.exchanges.length;
  const written = (await ours()).reviews.length;
  await desk.person('walter').edit(summary, 'All is well.');
  await desk.settle();
  const now = (await desk.olivia.comments(work.number)).find(({ id }) => id === summary.id);
  expect(now?.body).toBe(summary.body);
  expect((await ours()).reviews).toHaveLength(written);
  expect((await ours()).replies).toHaveLength(3);
  const asked = desk.exchanges.slice(before).filter(({ call }) => call.path.endsWith('/requested_reviewers'));
  expect(asked).toEqual([]);
});

test('V-4: a thread that is gone is left out, and the others are answered', async () => {
  const [first] = desk.github.reviews.threads(work.number);
  watchWrites((name, call) => {
    if (name === 'beginReview' && first) first.id = 'PRRT_gone';
    return call();
  });
  await endRound();
  const { reviews, replies } = await ours();
  expect(reviews).toHaveLength(1);
  expect(replies).toHaveLength(2);
});

test('V-4: a thread in which GitHub refuses the reply: the others are answered, and the summary has its answer', async () => {
  const bad = desk.github.reviews.threads(work.number)[1]?.id;
  const { reply } = desk.github.reviews;
  vi.spyOn(desk.github.reviews, 'reply').mockImplementation((review, thread, body) => {
    if (thread.id === bad) throw new Error('Pull request review thread is locked');
    return reply(review, thread, body);
  });
  await endRound();
  const { reviews, replies } = await ours();
  expect(replies).toHaveLength(2);
  expect(reviews.map(({ state }) => state)).toEqual(['COMMENTED']);
  const asked = (await desk.person('walter').remarks(work.number)).find(
    ({ body }) => body === 'Is this needed?',
  );
  expect(reviews[0]?.body).toContain('GitHub refuses replies in this thread:\n\n- [`src/login.ts`](http');
  expect(reviews[0]?.body).toContain(`#discussion_r${asked?.id}): Not changed. “It is used elsewhere.” <!--`);
  const { body } = await desk.github.upstream('GET', `/repos/olivia/shop/pulls/${work.number}`);
  expect(body).toMatchObject({ requested_reviewers: [{ login: 'walter' }] });
});

test('V-4: where replies go one by one, a refused one is in the summary, too', async () => {
  watchWrites((name, call) => {
    if (name === 'beginReview') return Promise.reject(new GitHubError('no', { status: 422 }));
    return call();
  });
  let replies = 0;
  desk.interfere(({ method, path }) => {
    if (method !== 'POST' || !path.endsWith('/replies')) return undefined;
    replies += 1;
    return replies === 2 ? { status: 422, body: { message: 'The thread is locked' } } : undefined;
  });
  await endRound();
  expect((await ours()).replies).toHaveLength(2);
  const said = (await desk.olivia.comments(work.number)).map(({ body }) => body).join('\n');
  expect(said).toMatch(/GitHub refuses replies in this thread:\n\n- .*“It is used elsewhere.”/);
});

test('V-4: a review that GitHub does not find right after it was begun is answered by the next try', async () => {
  let tries = 0;
  desk.interfere(({ body }) => {
    const { query = '' } = (body ?? {}) as { query?: string };
    if (!query.includes('addPullRequestReviewThreadReply(')) return undefined;
    tries += 1;
    if (tries > 1) return undefined;
    const message = "Could not resolve to a node with the global id of 'PRR_1'";
    const errors = ['r0', 'r1', 'r2'].map((field) => ({ type: 'NOT_FOUND', path: [field], message }));
    return { status: 200, body: { data: { r0: null, r1: null, r2: null }, errors } };
  });
  await endRound();
  desk.clock.ms += HOUR_MS;
  await desk.settle();
  const { reviews, replies } = await ours();
  expect(tries).toBe(2);
  expect(reviews).toHaveLength(1);
  expect(replies).toHaveLength(3);
});

test('V-8: the description tells the rounds and no open remark is left; the receipt is edited, not repeated', async () => {
  await endRound();
  const { body } = await work.pull();
  const head = (await work.head()).slice(0, 7);
  expect(body).toContain('<details><summary>Rounds: 2</summary>');
  expect(body).toContain(`| 2 | walter, comment | Did it | \`${head}\` |`);
  expect(body).not.toContain('r.address');
  const receipts = (await desk.olivia.comments(work.issue)).filter((one) => one.body.includes(':receipt '));
  expect(receipts).toHaveLength(1);
  await desk.person('walter').remark(work.number, {
    replyTo: Number((await desk.person('walter').remarks(work.number))[0]?.id),
    body: 'Still not.',
  });
  await desk.settle();
  expect((await work.pull()).body).toContain('**Address 1 open remark** (1 by walter): starts round 3.');
});

test('V-5: a round appends to the commit of a person', async () => {
  const parent = await commitOnBranch(desk, `autobuild/issue-${work.issue}`, await work.head());
  await endRound();
  const after = await work.head();
  const { body } = await desk.github.upstream('GET', `/repos/olivia/shop/git/commits/${after}`);
  expect(body).toMatchObject({ parents: [{ sha: parent }] });
  expect((body as { message: string }).message).toContain('Round 2, asked for by walter.');
  expect((body as { message: string }).message).toContain('[skip ci]');
});

test('V-4: where GitHub does not take the work, no remark is called fixed', async () => {
  desk.interfere(({ method, path }) =>
    method === 'POST' && path.endsWith('/git/commits')
      ? { status: 422, body: { message: 'Not today' } }
      : undefined,
  );
  await endRound();
  await desk.perform(ROUND);
  expect(await ours()).toEqual({ reviews: [], replies: [] });
});

test('V-4: a review that is dismissed while its round works: its remarks are answered, and its author is not asked again', async () => {
  const [review] = await desk.person('walter').reviews(work.number);
  await endRound(() => desk.olivia.dismissReview(work.number, { id: review?.id ?? 0 }));
  expect((await ours()).replies).toHaveLength(3);
  const { body } = await desk.github.upstream('GET', `/repos/olivia/shop/pulls/${work.number}`);
  expect(body).toMatchObject({ requested_reviewers: [] });
});

test('V-4: remarks that are deleted while the round works: the others are answered, and none is opened again', async () => {
  const remarks = await desk.person('walter').remarks(work.number);
  await endRound(async () => {
    for (const remark of remarks.slice(0, 2)) await desk.person('walter').deleteRemark(remark);
    await desk.settle();
  });
  const { reviews, replies } = await ours();
  expect(reviews).toHaveLength(1);
  expect(lastLines(replies)).toEqual(['The agent asks: “Which runner?” Reply with `/guide <your answer>`.']);
  expect(desk.github.reviews.threads(work.number)).toHaveLength(1);
});

test('V-4: the answer to the words of a review as a whole is in the summary, which names the review', async () => {
  desk.loseWebhooks(true);
  await desk.olivia.review(work.number, 'REQUEST_CHANGES', 'Please rename the module to auth.', []);
  await desk.settle();
  desk.loseWebhooks(false);
  await desk.person('walter').comment(work.number, '/continue');
  await desk.settle();
  const { revision } = await desk.state();
  const words = revision?.remarks.find(({ thread }) => thread === undefined);
  const note = 'Should the old name stay as an alias?';
  await finishRound(desk, await takeRound(desk, work.run), {
    text: 'two\n',
    remarks: [{ id: words?.id, result: 'question', note }],
  });
  const { reviews } = await ours();
  expect(reviews).toHaveLength(1);
  expect(reviews[0]?.body).toContain(
    `\n\n- [Review by olivia](${words?.url}): The agent asks: “${note}” Reply with \`/guide <your answer>\`.\n\n`,
  );
});
