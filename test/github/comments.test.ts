import { expect, test } from 'vitest';
import { exampleItem, useGitHubApi } from './github-api.ts';

const LIST = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
const CREATE = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
const READ = 'GET /repos/{owner}/{repo}/issues/comments/{comment_id}';
const UPDATE = 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}';
const DELETE = 'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}';
const REACT = 'POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions';

const { on, onGraphql, sent, github } = useGitHubApi();
const at = { issue_number: 7, comment_id: 11 };

function comments(count: number, first: number): unknown[] {
  return Array.from({ length: count }, (_, index) => exampleItem(LIST, { id: first + index }));
}

test('comments are read over all pages', async () => {
  on(LIST, { at, answer: comments(100, 1) });
  on(LIST, { at, answer: comments(100, 101) });
  on(LIST, { at, answer: comments(3, 201) });
  const all = await github.comments(7, '2026-01-01T00:00:00Z');
  expect(all.map(({ id }) => id)).toEqual(Array.from({ length: 203 }, (_, index) => index + 1));
  expect(sent.map(({ query }) => query)).toEqual(
    ['1', '2', '3'].map((page) => ({ page, per_page: '100', since: '2026-01-01T00:00:00Z' })),
  );
});

test('a short page has a next one when the Link header says so', async () => {
  const link = '<https://api.github.com/repositories/1/issues/7/comments?page=2>; rel="next"';
  on(LIST, { at, answer: comments(1, 1), headers: { link } });
  on(LIST, { at, answer: comments(1, 2) });
  expect(await github.comments(7)).toHaveLength(2);
});

test('R-14: the comments of a repository are read up to a page, newest first, and a list that is cut there says so', async () => {
  const all = 'GET /repos/{owner}/{repo}/issues/comments';
  const page = (count: number) =>
    Array.from({ length: count }, (_, id) =>
      exampleItem(all, { id, issue_url: 'https://api.github.com/repos/alice/demo/issues/7' }),
    );
  on(all, { answer: page(100), headers: { etag: '"one"' } });
  const cut = await github.commentsOfAll('2026-01-01T00:00:00Z', [], 1);
  expect(cut).toMatchObject({ etags: ['"one"'], isCut: true });
  expect(cut?.items).toHaveLength(100);
  on(all, { answer: page(99) });
  expect(await github.commentsOfAll('2026-01-01T00:00:00Z', [], 1)).not.toHaveProperty('isCut');
  expect(sent.map(({ query }) => [query.page, query.sort, query.direction])).toEqual([
    ['1', 'updated', 'desc'],
    ['1', 'updated', 'desc'],
  ]);
});

test('a comment says who wrote it, and through which App', async () => {
  const app = exampleItem('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', {}, 'check_runs') as {
    app: object;
  };
  on(READ, {
    at,
    answer: {
      id: 11,
      node_id: 'IC_11',
      body: 'text',
      user: { login: 'autobuild[bot]', type: 'Bot' },
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-02T00:00:00Z',
      html_url: 'https://github.com/alice/demo/issues/7#issuecomment-11',
      performed_via_github_app: { ...app.app, id: 4242 },
    },
  });
  expect(await github.comment(11)).toEqual({
    id: 11,
    node_id: 'IC_11',
    body: 'text',
    author: 'autobuild[bot]',
    author_type: 'Bot',
    app_id: 4242,
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-02T00:00:00Z',
    url: 'https://github.com/alice/demo/issues/7#issuecomment-11',
  });
});

test('createComment sends the body, under a fixed API version', async () => {
  on(CREATE, { at, answer: { id: 12, body: 'hello' } });
  expect(await github.createComment(7, 'hello')).toMatchObject({ id: 12, body: 'hello' });
  expect(sent[0]?.body).toEqual({ body: 'hello' });
  expect(sent[0]?.headers).toMatchObject({
    'x-github-api-version': '2022-11-28',
    authorization: 'token a-token',
  });
});

test('a comment over 65,536 characters is refused before it is sent', async () => {
  const long = 'x'.repeat(65_537);
  await expect(github.createComment(7, long)).rejects.toThrow(
    'The comment on #7 has 65537 characters; GitHub takes 65536. It was not sent: shorten it.',
  );
  await expect(github.updateComment(11, long)).rejects.toThrow('65537 characters');
  expect(sent).toEqual([]);
});

test('a comment of 65,536 characters is sent', async () => {
  on(CREATE, { at });
  await github.createComment(7, 'x'.repeat(65_536));
  expect(sent).toHaveLength(1);
});

test('a comment that was deleted is undefined, and deleting or reacting to it does nothing', async () => {
  on(READ, { at, status: 404 });
  on(UPDATE, { at, status: 404 });
  on(DELETE, { at, status: 404 });
  on(REACT, { at, status: 404 });
  expect(await github.comment(11)).toBeUndefined();
  expect(await github.updateComment(11, 'new')).toBeUndefined();
  await github.deleteComment(11);
  await github.react(11, 'eyes');
  expect(sent).toHaveLength(4);
});

test('updateComment gives the comment back', async () => {
  on(UPDATE, { at, answer: { body: 'new' } });
  expect(await github.updateComment(11, 'new')).toMatchObject({ body: 'new' });
});

test.each(['eyes', 'rocket', 'confused'] as const)('reaction %s, new or given before', async (reaction) => {
  on(REACT, { at });
  on(REACT, { at, status: 200 });
  await github.react(11, reaction);
  await github.react(11, reaction);
  expect(sent.map(({ body }) => body)).toEqual([{ content: reaction }, { content: reaction }]);
});

test('a locked issue is an error that says so and blames no permission', async () => {
  const message = 'Unable to create comment because issue is locked.';
  const headers = { 'x-accepted-github-permissions': 'issues=write; pull_requests=write' };
  on(CREATE, { at, status: 403, answer: { message }, headers });
  const error = await github.createComment(7, 'hello').catch((thrown) => thrown);
  expect(error).toMatchObject({ status: 403, missingPermission: undefined, retryAfter: undefined });
  expect(error.message).toContain(message);
});

test('minimizeComment marks the comment as outdated', async () => {
  onGraphql({ data: { minimizeComment: { minimizedComment: { isMinimized: true } } } });
  await github.minimizeComment('IC_11');
  expect(sent[0]?.body).toMatchObject({ variables: { id: 'IC_11' } });
  expect(sent[0]?.body.query).toMatch(
    /^mutation \(\$id: ID!\) \{\s+minimizeComment\(input: \{ subjectId: \$id, classifier: OUTDATED \}\)/,
  );
});

test('minimizing a comment that was deleted does nothing', async () => {
  onGraphql({ data: null, errors: [{ type: 'NOT_FOUND', message: 'Could not resolve to a node' }] });
  await github.minimizeComment('IC_11');
});

const AT = '2026-01-02T00:00:00Z';

test.each([
  [
    { lastEditedAt: AT, editor: { __typename: 'User', login: 'bob' } },
    { at: AT, by: 'bob' },
  ],
  [
    { lastEditedAt: AT, editor: { __typename: 'Bot', login: 'autobuild' } },
    { at: AT, by: 'autobuild[bot]' },
  ],
  [{ lastEditedAt: AT, editor: null }, { at: AT }],
  [{ lastEditedAt: null, editor: null }, {}],
  [{}, undefined],
  [null, undefined],
])('lastEdit of %j is %j', async (node, expected) => {
  onGraphql({ data: { node } });
  expect(await github.lastEdit('IC_11')).toEqual(expected);
  expect(sent[0]?.body.variables).toEqual({ id: 'IC_11' });
  // Comments, reviews and descriptions are all of this kind.
  expect(sent[0]?.body.query).toContain('... on Comment { lastEditedAt editor { __typename login } }');
});

test('a review is reacted to', async () => {
  onGraphql({ data: { addReaction: { reaction: { content: 'EYES' } } } });
  await github.reactToReview('PRR_1', 'eyes');
  expect(sent[0]?.body).toMatchObject({ variables: { id: 'PRR_1', content: 'EYES' } });
  expect(sent[0]?.body.query).toMatch(
    /^mutation \(\$id: ID!, \$content: ReactionContent!\) \{\s+addReaction\(input: \{ subjectId: \$id, content: \$content \}\)/,
  );
});

test('lastEdit throws when GitHub cannot tell', async () => {
  onGraphql({ data: null, errors: [{ message: 'Something is broken' }] });
  await expect(github.lastEdit('IC_11')).rejects.toMatchObject({ name: 'GitHubError', status: 502 });
});
