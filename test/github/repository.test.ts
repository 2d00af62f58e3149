import { expect, test } from 'vitest';
import { useGitHubApi } from './github-api.ts';

const REPO = 'GET /repos/{owner}/{repo}';
const REF = 'GET /repos/{owner}/{repo}/git/ref/{ref}';
const CONTENTS = 'GET /repos/{owner}/{repo}/contents/{path}';
const SECRET = 'GET /repos/{owner}/{repo}/actions/secrets/{secret_name}';
const SHARED = 'GET /repos/{owner}/{repo}/actions/organization-secrets';
const SHA = 'a1'.repeat(20);

const { on, sent, github } = useGitHubApi();

test('the default branch with its head', async () => {
  on(REPO, { answer: { id: 5, default_branch: 'main', private: true, archived: true } });
  on(REF, { at: { ref: 'heads/main' }, answer: { object: { sha: SHA } } });
  expect(await github.defaultBranch()).toEqual({
    name: 'main',
    sha: SHA,
    private: true,
    archived: true,
    repo_id: 5,
  });
});

test('an empty repository has no default branch to build on, and the error says what to do', async () => {
  on(REPO, { answer: { default_branch: 'main' } });
  on(REF, { at: { ref: 'heads/main' }, status: 409, answer: { message: 'Git Repository is empty.' } });
  await expect(github.defaultBranch()).rejects.toThrow('alice/demo has no commit on main yet. Push one');
});

test('the head of a branch, undefined without the branch', async () => {
  on(REF, { at: { ref: 'heads/autobuild/issue-7' }, answer: { object: { sha: SHA } } });
  on(REF, { at: { ref: 'heads/autobuild/issue-7' }, status: 404 });
  expect(await github.branchHead('autobuild/issue-7')).toBe(SHA);
  expect(await github.branchHead('autobuild/issue-7')).toBeUndefined();
});

const at = { path: '.github/autobuild.yml' };

function fileAnswer(content: string, encoding = 'base64') {
  return { type: 'file', encoding, size: 1, content, name: 'autobuild.yml', path: at.path };
}

test('a file is text in UTF-8', async () => {
  on(CONTENTS, { at, answer: fileAnswer(Buffer.from('größe: 1\n').toString('base64')) });
  expect(await github.file('.github/autobuild.yml', 'main')).toBe('größe: 1\n');
  expect(sent[0]?.query).toEqual({ ref: 'main' });
});

test('a file that is not there, or is a folder, is undefined', async () => {
  on(CONTENTS, { at, status: 404 });
  on(CONTENTS, { at, answer: [] });
  expect(await github.file('.github/autobuild.yml', 'main')).toBeUndefined();
  expect(await github.file('.github/autobuild.yml', 'main')).toBeUndefined();
});

test('a file too large for the API is an error, not an empty text', async () => {
  on(CONTENTS, { at, answer: fileAnswer('', 'none') });
  await expect(github.file('.github/autobuild.yml', 'main')).rejects.toThrow('too large');
});

test('a file is an error when GitHub fails', async () => {
  on(CONTENTS, { at, status: 500, answer: { message: 'Server Error' } });
  await expect(github.file('.github/autobuild.yml', 'main')).rejects.toMatchObject({ status: 500 });
});

const secret = { secret_name: 'API_KEY' };

test('a secret exists, does not, or may not be looked at', async () => {
  on(SECRET, { at: secret });
  on(SECRET, { at: secret, status: 404 });
  on(SHARED, { answer: { total_count: 0, secrets: [] } });
  on(SECRET, { at: secret, status: 403, answer: { message: 'Resource not accessible by integration' } });
  expect(await github.secretExists('API_KEY')).toBe(true);
  expect(await github.secretExists('API_KEY')).toBe(false);
  expect(await github.secretExists('API_KEY')).toBeUndefined();
});

test('a secret of the organisation counts; whether it has one may not be seen', async () => {
  const shared = {
    name: 'API_KEY',
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
  };
  on(SECRET, { at: secret, status: 404 });
  on(SHARED, { answer: { total_count: 1, secrets: [shared] } });
  on(SECRET, { at: secret, status: 404 });
  on(SHARED, { status: 403, answer: { message: 'Resource not accessible by integration' } });
  expect(await github.secretExists('API_KEY')).toBe(true);
  expect(await github.secretExists('API_KEY')).toBeUndefined();
});

test('a rate limit says nothing about a secret', async () => {
  on(SECRET, { at: secret, status: 403, answer: { message: 'limited' }, headers: { 'retry-after': '30' } });
  await expect(github.secretExists('API_KEY')).rejects.toMatchObject({ retryAfter: 30 });
});
