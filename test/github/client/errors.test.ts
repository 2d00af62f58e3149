import { expect, test } from 'vitest';
import { GitHubError } from '../../../src/core/ports/github-port.ts';
import { useGitHubApi } from '../github-api.ts';

const CREATE = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
const { on, onGraphql, github } = useGitHubApi();

async function fail(
  status: number,
  message: string,
  headers: Record<string, string> = {},
): Promise<GitHubError> {
  on(CREATE, { at: { issue_number: 7 }, status, answer: { message }, headers });
  const error = await github.createComment(7, 'hello').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(GitHubError);
  return error as GitHubError;
}

test('an error names the call, the status and what GitHub said', async () => {
  const error = await fail(422, 'Validation Failed');
  expect(error.status).toBe(422);
  expect(error.message).toBe(
    'GitHub answered POST /repos/{owner}/{repo}/issues/{issue_number}/comments with 422: Validation Failed - https://docs.github.com/rest',
  );
  expect(error).toMatchObject({ retryAfter: undefined, missingPermission: undefined });
});

test('a missing permission is named as GitHub names it', async () => {
  const error = await fail(403, 'Resource not accessible by integration', {
    'x-accepted-github-permissions': 'issues=write; pull_requests=write',
  });
  expect(error).toMatchObject({
    missingPermission: 'issues=write; pull_requests=write',
    retryAfter: undefined,
  });
});

test.each([403, 429])('R-10: a secondary limit (%i) waits as long as Retry-After says', async (status) => {
  const message = 'You have exceeded a secondary rate limit.';
  const error = await fail(status, message, { 'retry-after': '47', 'x-accepted-github-permissions': 'a=b' });
  expect(error).toMatchObject({ status, retryAfter: 47, missingPermission: undefined });
});

test('R-10: a secondary limit without Retry-After waits a minute', async () => {
  expect(await fail(403, 'You have exceeded a secondary rate limit.')).toMatchObject({ retryAfter: 60 });
  expect(await fail(429, 'Too many requests')).toMatchObject({ retryAfter: 60 });
});

test('R-10: content that comes too quickly is a limit, though GitHub calls it unprocessable', async () => {
  expect(await fail(422, 'Validation Failed: was submitted too quickly')).toMatchObject({
    ...{ status: 429, retryAfter: 60 },
  });
});

test("R-10: a used-up rate limit waits until its reset, by GitHub's clock", async () => {
  const now = Date.parse('2026-01-01T00:00:00Z') / 1_000;
  const error = await fail(403, 'API rate limit exceeded for installation ID 1.', {
    date: 'Thu, 01 Jan 2026 00:00:00 GMT',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(now + 600),
  });
  expect(error.retryAfter).toBe(601);
});

test('waiting is bounded below and above', async () => {
  expect(await fail(429, 'no', { 'retry-after': '0' })).toMatchObject({ retryAfter: 1 });
  expect(await fail(429, 'no', { 'retry-after': '99999999' })).toMatchObject({ retryAfter: 86_400 });
});

test('an outage with Retry-After waits too; a plain one leaves it to the caller', async () => {
  expect(await fail(503, 'down', { 'retry-after': '5' })).toMatchObject({ status: 503, retryAfter: 5 });
  expect(await fail(502, 'down')).toMatchObject({ status: 502, retryAfter: undefined });
});

const SPENT = { type: 'RATE_LIMITED', message: 'API rate limit exceeded' };
const ALREADY_SPENT = {
  type: 'RATE_LIMIT',
  code: 'graphql_rate_limit',
  message: 'API rate limit already exceeded for installation ID 100.',
};

test.each([SPENT, ALREADY_SPENT])('R-10: a limit of GraphQL waits as well ($type)', async (error) => {
  const headers = {
    date: 'Thu, 01 Jan 2026 00:00:00 GMT',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(Date.parse('2026-01-01T00:01:00Z') / 1_000),
  };
  onGraphql({ errors: [error] }, headers);
  await expect(github.lastEdit('IC_1')).rejects.toMatchObject({ status: 429, retryAfter: 61 });
});

test('R-10: a secondary limit that only the words of GraphQL tell waits a minute', async () => {
  onGraphql({ errors: [{ message: 'You have exceeded a secondary rate limit.' }] });
  await expect(github.lastEdit('IC_1')).rejects.toMatchObject({ status: 429, retryAfter: 60 });
});

test('a permission missing for GraphQL is a 403', async () => {
  onGraphql({ errors: [{ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }] });
  await expect(github.minimizeComment('IC_1')).rejects.toMatchObject({ status: 403 });
});

test('no answer keeps the reason as its cause', async () => {
  on(CREATE, { at: { issue_number: 7 }, broken: new Error('socket hang up') });
  const error = await github.createComment(7, 'hello').catch((thrown) => thrown);
  expect(error).toMatchObject({ name: 'GitHubError', status: 500 });
  expect(error.message).toContain('GitHub did not answer POST /repos');
  expect(error.cause).toBeInstanceOf(Error);
});

test('a long answer is cut', async () => {
  expect((await fail(500, 'x'.repeat(100_000))).message.length).toBeLessThan(1_200);
});
