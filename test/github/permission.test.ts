import { expect, test } from 'vitest';
import { useGitHubApi } from './github-api.ts';

const ROUTE = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';
const { on, github, sent } = useGitHubApi();
const at = { username: 'bob' };

test.each([
  ['admin', 'admin', 'admin'],
  ['write', 'write', 'write'],
  ['write', 'maintain', 'maintain'],
  ['read', 'triage', 'triage'],
  ['read', 'read', 'read'],
  ['none', 'none', 'none'],
  // People name custom roles.
  ['read', 'maintain', 'read'],
  ['read', 'admin', 'read'],
  ['write', 'release-captain', 'write'],
])('permission %s with the role %s is %s', async (permission, role_name, expected) => {
  on(ROUTE, { at, answer: { permission, role_name } });
  expect(await github.permission('bob')).toBe(expected);
});

test('somebody GitHub does not know has no permission', async () => {
  on(ROUTE, { at, status: 404 });
  expect(await github.permission('bob')).toBe('none');
});

test('a permission we do not know throws, whatever the role says', async () => {
  on(ROUTE, { at, answer: { permission: 'push', role_name: 'admin' } });
  await expect(github.permission('bob')).rejects.toMatchObject({ name: 'GitHubError', status: 502 });
});

test.each([401, 403, 500, 502])('an answer of %i throws', async (status) => {
  on(ROUTE, { at, status, answer: { message: 'no' } });
  await expect(github.permission('bob')).rejects.toMatchObject({ name: 'GitHubError', status });
});

test('an answer that was cut off throws', async () => {
  on(ROUTE, { at, raw: '{"permission":"admin"' });
  await expect(github.permission('bob')).rejects.toThrow('not JSON');
});

test('no answer throws', async () => {
  on(ROUTE, { at, broken: new Error('socket hang up') });
  await expect(github.permission('bob')).rejects.toThrow('GitHub did not answer GET /repos');
});

test('a name cannot leave its place in the path', async () => {
  on(ROUTE, { at: { username: 'a/../../x?y#z' }, status: 404 });
  expect(await github.permission('a/../../x?y#z')).toBe('none');
  expect(sent[0]?.path).toBe('/repos/alice/demo/collaborators/a%2F..%2F..%2Fx%3Fy%23z/permission');
});
