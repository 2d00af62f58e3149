import { Probot, ProbotOctokit } from 'probot';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { GitHub } from '../../src/core/ports/github-port.ts';
import { failOnRateLimits } from '../../src/github/client/octokit-defaults.ts';
import { createGitHub } from '../../src/github/github.ts';
import type { Answer, Call } from '../../src/sandbox/github/gap.ts';
import { type LocalGitHub, startLocalGitHub } from '../../src/sandbox/github.ts';
import { createPerson, type Person } from '../../src/sandbox/person.ts';
import { checkPayload } from '../fixtures/webhooks.ts';
import { checkRequest, checkResponse } from '../github/openapi-contract.ts';

let local: LocalGitHub;
let github: GitHub;
let walter: Person;
let number = 0;
let head = '';
const exchanges: { call: Call; answer: Answer }[] = [];

beforeAll(async () => {
  local = await startLocalGitHub({
    owner: 'olivia',
    name: 'shop',
    people: { walter: 'write', rita: 'read' },
    startJob: () => expect.fail('there is no job'),
    onExchange: (exchange) => void exchanges.push(exchange),
  });
  const probot = new Probot({
    appId: local.appId,
    privateKey: local.privateKey,
    baseUrl: `http://${local.host}/api/v3`,
    Octokit: ProbotOctokit.defaults(failOnRateLimits),
    logLevel: 'fatal',
  });
  const { owner, name: repo, appId } = local;
  github = createGitHub(await probot.auth(100), { owner, repo, appId });
  walter = createPerson(local, 'walter');
  await commit('one\ntwo\nthree\nfour\n');
  ({ number } = await github.createPullRequest({
    ...{ branch: 'work', base: 'main', title: 'Work', body: '', draft: false },
  }));
});
afterAll(() => local.close());
beforeEach(() => {
  exchanges.length = 0;
});

async function commit(text: string): Promise<void> {
  const { sha } = await github.defaultBranch();
  const content = Buffer.from(text).toString('base64');
  const files = [{ path: 'src/a.ts', mode: '100644' as const, content }];
  const made = await github.commit({ branch: 'work', parent: sha, message: 'Work', files, force: true });
  head = made.sha;
}

test('V-4: whether a pull request has a review is told, and nothing about one that is not there', async () => {
  const { node_id } = await read();
  expect(await github.withoutReview([node_id])).toEqual(new Set([node_id]));
  expect(await github.withoutReview([node_id, 'PR_unknown'])).toEqual(new Set());
});

async function read() {
  const pull = await github.reviewedPull(number);
  if (!pull) expect.fail('there is no pull request');
  return pull;
}

/** Calls of the App, held against GitHub's description. */
function problems(): string[] {
  return exchanges
    .filter(({ call }) => call.caller.kind !== 'person' && !call.path.endsWith('/graphql'))
    .flatMap(({ call, answer }) => [
      ...checkRequest(call.method, call.path, call.body),
      ...checkResponse(call.method, call.path, answer.status, answer.body),
    ]);
}

test('a review comes with one event for itself and one for each remark, as GitHub describes them', async () => {
  const before = local.webhooks.deliveries.length;
  const review = await walter.review(number, 'REQUEST_CHANGES', 'Not yet.', [
    { path: 'src/a.ts', line: 2, body: 'A constant?' },
    { path: 'src/a.ts', line: 4, start_line: 3, body: '```suggestion\nthree, four\n```' },
    { path: 'src/a.ts', body: 'Where is its test?' },
  ]);
  const sent = local.webhooks.deliveries.slice(before);
  expect(sent.map(({ event, action }) => `${event}.${action}`)).toEqual([
    'pull_request_review.submitted',
    ...Array(3).fill('pull_request_review_comment.created'),
  ]);
  for (const { event, action, payload } of sent)
    expect(checkPayload(`${event}.${action}` as 'pull_request_review.submitted', payload)).toEqual([]);
  const pull = await read();
  expect(pull).toMatchObject({ head_sha: head, base_ref: 'main', state: 'OPEN', is_draft: false });
  expect(await github.withoutReview([pull.node_id])).toEqual(new Set());
  expect(pull.reviews).toMatchObject([
    { id: review.id, state: 'CHANGES_REQUESTED', body: 'Not yet.', author: 'walter', is_own: false },
  ]);
  expect(pull.threads).toMatchObject([
    { path: 'src/a.ts', subject: 'LINE', side: 'RIGHT', line: 2, is_outdated: false },
    { line: 4, start_line: 3, original_line: 4, original_start_line: 3 },
    { subject: 'FILE', line: undefined },
  ]);
  expect(pull.threads[0]?.comments[0]).toMatchObject({
    ...{ author: 'walter', author_type: 'User', is_own: false, commit: head },
    diff_hunk: '@@ -1,0 +1,2 @@\n+one\n+two',
  });
});

test('remarks follow their lines, and are outdated once those are gone', async () => {
  await commit('zero\none\nTWO\nthree\nfour\n');
  expect((await read()).threads).toMatchObject([
    { line: undefined, original_line: 2, is_outdated: true },
    { line: 5, start_line: 4, original_line: 4, is_outdated: false },
    { subject: 'FILE', is_outdated: false },
  ]);
});

test('remarks on removed lines, edits by others, and lines that are not there', async () => {
  const left = await walter.remark(number, { path: 'README.md', line: 1, side: 'LEFT', body: 'Keep it' });
  await createPerson(local, 'olivia').editRemark(left, 'Drop it');
  const thread = (await read()).threads.at(-1);
  expect(thread).toMatchObject({ side: 'LEFT', line: 1 });
  expect(thread?.comments).toMatchObject([{ author: 'walter', editor: 'olivia', body: 'Drop it' }]);
  await expect(walter.remark(number, { path: 'src/a.ts', line: 99, body: 'Here' })).rejects.toThrow('422');
});

test('a pending review: one for each user, seen by nobody else, swallows replies, and is one event when submitted', async () => {
  const { node_id, threads } = await read();
  const thread = threads[0]?.id ?? '';
  const { node_id: review } = await github.beginReview(node_id);
  await expect(github.beginReview(node_id)).rejects.toThrow('one pending review per pull request');
  const before = local.webhooks.deliveries.length;
  await github.replyInReview(review, [
    { thread: 'PRRT_0', body: 'Gone' },
    { thread, body: 'Fixed.' },
  ]);
  const first = threads[0]?.comments[0]?.id ?? 0;
  expect(await github.replyToRemark(number, first, 'At once')).toBe(false);
  expect(await github.repliesInReview(review)).toEqual(['Fixed.']);
  expect((await walter.remarks(number)).map(({ body }) => body)).not.toContain('Fixed.');
  expect(local.webhooks.deliveries).toHaveLength(before);
  await github.submitReview(review, 'Round 2: 1 fixed.');
  const sent = local.webhooks.deliveries.slice(before).map(({ event }) => event);
  expect(sent).toEqual(['pull_request_review', 'pull_request_review_comment']);
  expect((await read()).threads[0]?.comments.at(-1)).toMatchObject({
    ...{ body: 'Fixed.', author: 'autobuild[bot]', author_type: 'Bot', is_own: true },
  });
  await github.replyToRemark(number, first, 'One more word');
  expect((await walter.remarks(number)).at(-1)).toBeDefined();
  expect(problems()).toEqual([]);
});

test('people are asked to look again; those who cannot be asked are left out', async () => {
  await github.requestReview(number, ['walter', 'nobody']);
  const { body } = await local.upstream('GET', `/repos/olivia/shop/pulls/${number}`);
  expect(body).toMatchObject({ requested_reviewers: [{ login: 'walter' }] });
});

test('all pages are read: 130 threads, one with 230 comments, 110 reviews', async () => {
  const author = { login: 'walter', bot: false };
  const place = { path: 'src/a.ts', subject: 'LINE' as const, side: 'RIGHT' as const, line: 1 };
  const book = local.reviews;
  const add = (write: (review: ReturnType<typeof book.begin>) => void) => {
    const review = book.begin(number, author, head);
    write(review);
    book.submit(review, 'COMMENT');
  };
  const open = (review: ReturnType<typeof book.begin>, body: string) =>
    book.open(review, { ...place, start_line: null, hunk: '' }, body);
  add((review) => {
    const long = open(review, 'Long');
    for (let reply = 1; reply < 230; reply += 1) book.reply(review, long, `word ${reply}`);
    for (let index = 0; index < 130; index += 1) open(review, `remark ${index}`);
  });
  for (let index = 0; index < 110; index += 1) add(() => undefined);
  const { threads, reviews } = await read();
  expect(threads.length).toBeGreaterThan(130);
  expect(threads.find(({ comments }) => comments[0]?.body === 'Long')?.comments).toHaveLength(230);
  expect(threads.at(-1)?.comments[0]?.body).toBe('remark 129');
  expect(reviews.length).toBeGreaterThan(110);
});

test('edits, deletions, dismissals and resolved threads come with their events, as GitHub describes them', async () => {
  const review = await walter.review(number, 'REQUEST_CHANGES', 'Not yet.', [
    { path: 'src/a.ts', line: 2, body: 'A constant?' },
  ]);
  const remark = (await walter.remarks(number)).at(-1) ?? expect.fail('no remark');
  const thread = (await read()).threads.at(-1) ?? expect.fail('no thread');
  const before = local.webhooks.deliveries.length;
  await walter.editRemark(remark, 'An enum?');
  await walter.resolveThread(thread);
  expect((await read()).threads.at(-1)).toMatchObject({ is_resolved: true });
  await walter.resolveThread(thread, false);
  await walter.dismissReview(number, review);
  await walter.deleteRemark(remark);
  const sent = local.webhooks.deliveries.slice(before);
  expect(sent.map(({ event, action }) => `${event}.${action}`)).toEqual([
    'pull_request_review_comment.edited',
    'pull_request_review_thread.resolved',
    'pull_request_review_thread.unresolved',
    'pull_request_review.dismissed',
    'pull_request_review_comment.deleted',
  ]);
  for (const { event, action, payload } of sent)
    expect(checkPayload(`${event}.${action}` as 'pull_request_review.submitted', payload)).toEqual([]);
});
