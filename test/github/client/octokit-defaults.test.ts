import { generateKeyPairSync } from 'node:crypto';
import { Probot, ProbotOctokit } from 'probot';
import { expect, test } from 'vitest';
import { failOnRateLimits } from '../../../src/github/client/octokit-defaults.ts';
import { repeatFailed } from '../../../src/github/client/repeat-failed.ts';
import { createTimedFetch } from '../../../src/github/client/timed-fetch.ts';
import { createGitHub } from '../../../src/github/github.ts';
import { REPOSITORY, useGitHubApi } from '../github-api.ts';

const READ = 'GET /repos/{owner}/{repo}/issues/comments/{comment_id}';
const UPDATE = 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}';
const LABEL = 'POST /repos/{owner}/{repo}/issues/{issue_number}/labels';
const TOKEN = 'POST /app/installations/{installation_id}/access_tokens';

const { on, onGraphql, sent } = useGitHubApi();
const at = { issue_number: 7, comment_id: 11, installation_id: 100 };

/** Octokit as the server gets it, but without waiting between tries. */
async function signIn(mayWrite?: () => void) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const probot = new Probot({
    appId: 4242,
    privateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    logLevel: 'fatal',
    request: { fetch: createTimedFetch() },
    Octokit: ProbotOctokit.plugin(
      repeatFailed({ monotonicMs: () => 0, sleep: async () => undefined }),
    ).defaults(failOnRateLimits),
  });
  on(TOKEN, { at, answer: { token: 'installation-token', expires_at: '2999-01-01T00:00:00Z' } });
  return createGitHub(await probot.auth(100), { ...REPOSITORY, mayWrite });
}

test('the installation’s token is fetched and used', async () => {
  const github = await signIn();
  on(READ, { at });
  await github.comment(11);
  expect(sent[1]?.headers.authorization).toBe('token installation-token');
});

const down = { at, status: 502, answer: { message: 'Bad Gateway' } };

test('what can be repeated is repeated when GitHub stumbles', async () => {
  const github = await signIn();
  on(READ, down);
  on(READ, { at });
  on(UPDATE, down);
  on(UPDATE, { at });
  expect(await github.comment(11)).toBeDefined();
  expect(await github.updateComment(11, 'new')).toBeDefined();
});

test('R-2: a POST is never repeated by itself', async () => {
  const github = await signIn();
  on(LABEL, down);
  await expect(github.changeLabels(7, { add: 'autobuild:running', remove: [] })).rejects.toMatchObject({
    status: 502,
  });
  expect(sent.map(({ route }) => route)).toEqual([TOKEN, LABEL]);
});

test('R-2: whether a write may leave is asked when its turn in the queue has come', async () => {
  let isHeld = true;
  const github = await signIn(() => {
    if (!isHeld) throw new Error('The lease ran out.');
    // When both are asked for, and the second one has to wait for a second.
    setImmediate(() => {
      isHeld = false;
    });
  });
  on(LABEL, { at, status: 200, answer: [] });
  const mark = (issue: number) => github.changeLabels(issue, { add: 'autobuild:running', remove: [] });
  const [first, second] = await Promise.allSettled([mark(7), mark(8)]);
  expect(first).toMatchObject({ status: 'fulfilled' });
  expect(second).toMatchObject({ reason: { message: expect.stringContaining('The lease ran out.') } });
  expect(sent.map(({ route }) => route)).toEqual([TOKEN, LABEL]);
});

test('R-2: a write that is held back is not asked for again, though it could be repeated', async () => {
  let asked = 0;
  const github = await signIn(() => {
    asked += 1;
    throw new Error('The lease ran out.');
  });
  await expect(github.updateComment(11, 'new')).rejects.toThrow('The lease ran out.');
  expect(asked).toBe(1);
});

test.each([
  ['API rate limit exceeded', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '2000000000' }, 86_400],
  ['You have exceeded a secondary rate limit', { 'retry-after': '3600' }, 3_600],
])('R-10: "%s" fails at once and says how long to wait', async (message, headers, retryAfter) => {
  const github = await signIn();
  on(READ, { at, status: 403, answer: { message }, headers });
  await expect(github.comment(11)).rejects.toMatchObject({ status: 403, retryAfter });
});

const AT_ONCE = 'You have exceeded a secondary rate limit.';

test.each([
  ['a limit with status 429 and Retry-After', 429, AT_ONCE, { 'retry-after': '3600' }, 3_600],
  ['a limit with status 429 and no time', 429, AT_ONCE, {}, 60],
  ['an outage with Retry-After', 503, 'Service Unavailable', { 'retry-after': '120' }, 120],
])('R-10: after %s a call is not repeated', async (_, status, message, headers, retryAfter) => {
  const github = await signIn();
  for (const [route, call] of [
    [READ, () => github.comment(11)],
    [UPDATE, () => github.updateComment(11, 'new')],
  ] as const) {
    on(route, { at, status, answer: { message }, headers });
    await expect(call()).rejects.toMatchObject({ status, retryAfter });
  }
  expect(sent.map(({ route }) => route)).toEqual([TOKEN, READ, UPDATE]);
});

const stumble = { errors: [{ message: 'Something went wrong while executing your query.' }] };

test('R-2: a GraphQL mutation is not repeated, a query is', async () => {
  const github = await signIn();
  onGraphql(stumble);
  await expect(github.minimizeComment('IC_1')).rejects.toMatchObject({ name: 'GitHubError' });
  onGraphql(stumble);
  onGraphql({ data: { node: null } });
  expect(await github.lastEdit('IC_1')).toBeUndefined();
});
