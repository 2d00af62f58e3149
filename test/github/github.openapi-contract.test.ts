import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useGitHubApi } from './github-api.ts';
import { checkRequest, checkResponse, describedRoutes } from './openapi-contract.ts';

const { on, takeProblems, github } = useGitHubApi();
const COMMENTS = '/repos/alice/demo/issues/1/comments';

test('every route in the source is described; run scripts/extract-openapi.mjs when this fails', () => {
  const folder = join(import.meta.dirname, '../../src/github');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const routes = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap(
      (file) =>
        readFileSync(join(folder, file), 'utf8').match(/(?<=')(?:GET|POST|PATCH|PUT|DELETE) \/[^']+/g) ?? [],
    );
  expect(routes.length).toBeGreaterThan(25);
  expect(routes.filter((route) => !describedRoutes.includes(route))).toEqual([]);
});

test('a right request has nothing wrong with it', () => {
  expect(checkRequest('POST', COMMENTS, { body: 'hi' })).toEqual([]);
  expect(checkRequest('GET', `${COMMENTS}?per_page=100&page=2`)).toEqual([]);
  expect(checkRequest('GET', '/repos/alice/demo/contents/.github%2Fautobuild.yml?ref=main')).toEqual([]);
});

test.each([
  ['an unknown path', 'GET', '/repos/alice/demo/issues/1/remarks', undefined],
  ['an unknown method', 'PUT', COMMENTS, { body: 'hi' }],
  ['a missing field', 'POST', COMMENTS, {}],
  ['a wrong type', 'POST', COMMENTS, { body: 5 }],
  ['a field GitHub does not know', 'POST', COMMENTS, { body: 'hi', text: 'hi' }],
  ['a wrong path parameter', 'POST', '/repos/alice/demo/issues/x/comments', { body: 'hi' }],
  ['an unknown query parameter', 'GET', `${COMMENTS}?pages=2`, undefined],
])('%s is wrong', (_, method, path, body) => {
  expect(checkRequest(method, path, body)).not.toEqual([]);
});

test('an answer that GitHub does not give is wrong', () => {
  expect(checkResponse('POST', COMMENTS, 201, { id: 1 })).not.toEqual([]);
  expect(checkResponse('POST', COMMENTS, 200, {})).not.toEqual([]);
});

test('a request nobody expects fails the test', async () => {
  await expect(github.deleteComment(1)).rejects.toThrow();
  expect(takeProblems().wrong).toEqual([
    'nobody expects DELETE https://api.github.com/repos/alice/demo/issues/comments/1',
  ]);
});

test('a reply nobody fetched fails the test', () => {
  on('GET /repos/{owner}/{repo}');
  expect(takeProblems().unused).toHaveLength(1);
});

test('a reply that GitHub would not give fails the test', async () => {
  on('GET /repos/{owner}/{repo}/issues/comments/{comment_id}', {
    at: { comment_id: 1 },
    answer: { id: 'x' },
  });
  await github.comment(1);
  expect(takeProblems().wrong.join()).toContain('/id must be integer');
});
