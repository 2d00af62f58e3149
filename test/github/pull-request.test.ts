import { expect, test } from 'vitest';
import { exampleItem, useGitHubApi } from './github-api.ts';

const LIST = 'GET /repos/{owner}/{repo}/pulls';
const READ = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
const CREATE = 'POST /repos/{owner}/{repo}/pulls';
const UPDATE = 'PATCH /repos/{owner}/{repo}/pulls/{pull_number}';

const { on, onGraphql, sent, github } = useGitHubApi();
const branch = 'autobuild/issue-7';
const at = { pull_number: 9 };
const wanted = { branch, base: 'main', title: 'Build it', body: 'Closes #7', draft: true };

function listed(number: number, change: object = {}): unknown {
  return exampleItem(LIST, {
    number,
    requested_teams: [],
    head: { ref: branch },
    base: { ref: 'main' },
    ...change,
  });
}

test('a pull request is read', async () => {
  on(READ, {
    at,
    answer: {
      number: 9,
      node_id: 'PR_9',
      state: 'closed',
      draft: false,
      merged_at: '2026-01-01T00:00:00Z',
      merge_commit_sha: 'b2',
      head: { sha: 'a1' },
      base: { ref: 'main' },
      mergeable: null,
      body: null,
      updated_at: '2026-01-01T00:00:00Z',
      html_url: 'https://github.com/alice/demo/pull/9',
    },
  });
  expect(await github.pullRequest(9)).toEqual({
    number: 9,
    node_id: 'PR_9',
    branch: 'new-topic',
    state: 'closed',
    draft: false,
    merged: true,
    head_sha: 'a1',
    base: 'main',
    mergeable: undefined,
    merge_sha: 'b2',
    body: '',
    updated_at: '2026-01-01T00:00:00Z',
    url: 'https://github.com/alice/demo/pull/9',
  });
});

test('V-6: GitHub says whether it can be merged, once it has computed that', async () => {
  on(READ, { at, answer: { mergeable: false } });
  expect(await github.pullRequest(9)).toMatchObject({ mergeable: false });
});

test('a pull request that is not there is undefined', async () => {
  on(READ, { at, status: 404 });
  expect(await github.pullRequest(9)).toBeUndefined();
});

test('of the pull requests of a branch the open one counts, then the newest', async () => {
  const closed = { state: 'closed', merged_at: null };
  on(LIST, {
    answer: [listed(12, closed), listed(11, { state: 'open', merged_at: null }), listed(10, closed)],
  });
  expect(await github.pullRequestOf(branch, 'main')).toMatchObject({
    number: 11,
    state: 'open',
    merged: false,
  });
  expect(sent[0]?.query).toMatchObject({ head: `alice:${branch}`, state: 'all' });
  on(LIST, { answer: [listed(12, closed), listed(10, closed)] });
  expect(await github.pullRequestOf(branch, 'main')).toMatchObject({ number: 12, state: 'closed' });
});

test('pull requests of other branches, and to other bases, do not count', async () => {
  on(LIST, { answer: [listed(12, { head: { ref: 'other' } }), listed(13, { base: { ref: 'release' } })] });
  expect(await github.pullRequestOf(branch, 'main')).toBeUndefined();
});

test('submitted reviews are read whole; one that is still being written is none', async () => {
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
  const review = (id: number, change: object = {}) => exampleItem(route, { id, ...change });
  const html_url = 'https://github.com/alice/demo/pull/9#pullrequestreview-1';
  const said = { body: '/guide Take care', state: 'CHANGES_REQUESTED', html_url };
  on(route, {
    at,
    answer: [
      review(1, { node_id: 'PRR_1', ...said, user: { login: 'bob', type: 'User' } }),
      review(2, { submitted_at: undefined }),
      review(3, { user: null, body: '' }),
    ],
  });
  const [first, ghost, ...rest] = await github.reviews(9);
  expect(first).toEqual({
    id: 1,
    node_id: 'PRR_1',
    body: '/guide Take care',
    author: 'bob',
    author_type: 'User',
    submitted_at: expect.any(String),
    state: 'CHANGES_REQUESTED',
    url: html_url,
  });
  expect(ghost).toMatchObject({ id: 3, author: 'ghost', body: '' });
  expect(rest).toEqual([]);
});

test('R-14: one query says which pull requests have no review', async () => {
  const nodes = [{ id: 'PR_1', reviews: { totalCount: 0 } }, { id: 'PR_2', reviews: { totalCount: 2 } }, {}];
  onGraphql({ data: { nodes } });
  expect(await github.withoutReview(['PR_1', 'PR_2', 'I_3'])).toEqual(new Set(['PR_1']));
  expect(sent).toHaveLength(1);
  expect(sent[0]?.body).toMatchObject({ variables: { ids: ['PR_1', 'PR_2', 'I_3'] } });
});

test('R-14: if GitHub does not know one of them, each may have a review', async () => {
  onGraphql({
    data: { nodes: [{ id: 'PR_1', reviews: { totalCount: 0 } }, null] },
    errors: [{ type: 'NOT_FOUND', path: ['nodes', 1], message: 'Could not resolve to a node' }],
  });
  expect(await github.withoutReview(['PR_1', 'PR_9'])).toEqual(new Set());
});

test('a draft is opened', async () => {
  on(CREATE, { answer: { number: 9, draft: true } });
  expect(await github.createPullRequest(wanted)).toMatchObject({ number: 9, draft: true });
  expect(sent[0]?.body).toEqual({
    head: branch,
    base: 'main',
    title: 'Build it',
    body: 'Closes #7',
    draft: true,
  });
});

test('where drafts are not available it is opened as a ready one', async () => {
  const message = 'Draft pull requests are not supported in this repository.';
  on(CREATE, { status: 422, answer: { message } });
  on(CREATE, { answer: { number: 9, draft: false } });
  expect(await github.createPullRequest(wanted)).toMatchObject({ number: 9, draft: false });
  expect(sent.map(({ body }) => body.draft)).toEqual([true, false]);
});

const exists = {
  message: 'Validation Failed',
  errors: [
    {
      resource: 'PullRequest',
      code: 'custom',
      message: `A pull request already exists for alice:${branch}.`,
    },
  ],
};

test('R-2: a pull request whose answer was lost is found again', async () => {
  on(CREATE, { status: 422, answer: exists });
  on(LIST, { answer: [listed(9, { state: 'open' })] });
  expect(await github.createPullRequest(wanted)).toMatchObject({ number: 9 });
});

test('any other refusal is an error, sent once', async () => {
  on(CREATE, { status: 422, answer: { message: 'No commits between main and autobuild/issue-7' } });
  await expect(github.createPullRequest(wanted)).rejects.toThrow('No commits between');
});

test('a title or description GitHub would refuse is not sent', async () => {
  await expect(github.createPullRequest({ ...wanted, title: 'x'.repeat(257) })).rejects.toThrow('title');
  await expect(github.updatePullRequest(9, { body: 'x'.repeat(65_537) })).rejects.toThrow('description');
});

test('only what changes is updated', async () => {
  on(UPDATE, { at });
  on(UPDATE, { at });
  await github.updatePullRequest(9, { body: 'new' });
  await github.updatePullRequest(9, { title: 'other' });
  expect(sent.map(({ body }) => body)).toEqual([{ body: 'new' }, { title: 'other' }]);
});

test('markReady ends the draft', async () => {
  onGraphql({ data: { markPullRequestReadyForReview: { pullRequest: { isDraft: false } } } });
  await github.markReady('PR_9');
  expect(sent[0]?.body).toMatchObject({ variables: { id: 'PR_9' } });
  expect(sent[0]?.body.query).toMatch(
    /^mutation \(\$id: ID!\) \{\s+markPullRequestReadyForReview\(input: \{ pullRequestId: \$id \}\)/,
  );
});

test('R-14: a new description is written in the call that ends the draft; a refusal is an error', async () => {
  onGraphql({ data: {} });
  await github.markReady('PR_9', 'new');
  expect(sent[0]?.body).toMatchObject({ variables: { id: 'PR_9', body: 'new' } });
  expect(sent[0]?.body.query).toMatch(/updatePullRequest\(.*markPullRequestReadyForReview\(/s);
  onGraphql(refusal);
  await expect(github.markReady('PR_9', 'new')).rejects.toMatchObject({ status: 422 });
});

const refusal = { data: null, errors: [{ type: 'UNPROCESSABLE', message: 'Pull request is not a draft' }] };

test('R-2: a pull request that is ready already stays so', async () => {
  onGraphql(refusal);
  onGraphql({ data: { node: { isDraft: false } } });
  await github.markReady('PR_9');
  expect(sent[1]?.body.query).toContain('... on PullRequest { isDraft }');
});

test.each([
  { data: { node: { isDraft: true } } },
  { data: { node: null } },
  { errors: [{ message: 'broken' }] },
])('one that is not ready after all is an error: %j', async (answer) => {
  onGraphql(refusal);
  onGraphql(answer);
  await expect(github.markReady('PR_9')).rejects.toMatchObject({ status: 422 });
});
