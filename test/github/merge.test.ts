import { expect, test } from 'vitest';
import { exampleItem, useGitHubApi } from './github-api.ts';

const COMPARE = 'GET /repos/{owner}/{repo}/compare/{basehead}';
const READ_COMMIT = 'GET /repos/{owner}/{repo}/git/commits/{commit_sha}';
const READ_TREE = 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}';
const READ_BLOB = 'GET /repos/{owner}/{repo}/git/blobs/{file_sha}';
const COMMITS = 'GET /repos/{owner}/{repo}/commits';
const RULES = 'GET /repos/{owner}/{repo}/rules/branches/{branch}';
const sha = (name: string) => Buffer.from(name.padEnd(20, '.')).toString('hex');
const [ANCESTOR, HEAD, BASE] = [sha('ancestor'), sha('head'), sha('base')];

const { on, sent, github } = useGitHubApi();

const entry = (path: string, content: string, mode = '100644') => ({
  ...{ path, mode, type: 'blob', sha: sha(content), url: 'https://api.github.com/x' },
});

function onFiles(commit: string, tree: object[], truncated = false): void {
  const root = sha(`root${commit.slice(0, 8)}`);
  on(READ_COMMIT, { at: { commit_sha: commit }, answer: { tree: { sha: root } } });
  on(READ_TREE, { at: { tree_sha: root }, answer: { sha: root, tree, truncated } });
}

function onCompare(from: string, to: string, message: string): void {
  on(COMPARE, {
    at: { basehead: `${from}...${to}` },
    answer: {
      merge_base_commit: { sha: ANCESTOR },
      commits: [
        exampleItem(COMPARE, { sha: to, author: { login: 'olivia' }, commit: { message } }, 'commits'),
      ],
      files: [],
    },
  });
}

test('V-6: both sides since their common ancestor, by path, and the commits that only one of them has', async () => {
  onCompare(BASE, HEAD, 'Ours\n\nbody');
  onCompare(HEAD, BASE, 'Theirs');
  onFiles(ANCESTOR, [entry('same', '1'), entry('both', '1'), entry('gone', '1')]);
  onFiles(HEAD, [entry('same', '1'), entry('both', '2'), entry('gone', '1')]);
  onFiles(BASE, [entry('same', '1'), entry('both', '3'), entry('new', '1', '100755')]);
  const sides = await github.mergeSides(HEAD, BASE);
  const file = (content: string, mode = '100644') => ({ mode, sha: sha(content) });
  expect(sides).toEqual({
    paths: [
      { path: 'both', before: file('1'), head: file('2'), base: file('3') },
      { path: 'gone', before: file('1'), head: file('1'), base: undefined },
      { path: 'new', before: undefined, head: undefined, base: file('1', '100755') },
    ],
    commits: {
      head: [{ sha: HEAD, author: 'olivia', title: 'Ours' }],
      base: [{ sha: BASE, author: 'olivia', title: 'Theirs' }],
    },
  });
});

test('R-2: a commit is the head or below it, beside it, or gone', async () => {
  expect(await github.hasCommit(HEAD, HEAD)).toBe(true);
  onCompare(ANCESTOR, HEAD, 'Ours');
  expect(await github.hasCommit(HEAD, ANCESTOR)).toBe(true);
  onCompare(BASE, HEAD, 'Ours');
  expect(await github.hasCommit(HEAD, BASE)).toBe(false);
  on(COMPARE, {
    at: { basehead: `${sha('gone')}...${HEAD}` },
    status: 404,
    answer: { message: 'Not Found' },
  });
  expect(await github.hasCommit(HEAD, sha('gone'))).toBe(false);
});

test('V-5: the commits that only the head has, with whole messages; none of a head that is gone', async () => {
  onCompare(BASE, HEAD, 'Ours\n\nbody');
  const [commit, ...more] = await github.commitsSince(BASE, HEAD);
  expect(commit).toMatchObject({ sha: HEAD, message: 'Ours\n\nbody', parents: [expect.any(String)] });
  expect(more).toEqual([]);
  on(COMPARE, { at: { basehead: `${BASE}...${HEAD}` }, status: 404, answer: { message: 'Not Found' } });
  expect(await github.commitsSince(BASE, HEAD)).toEqual([]);
});

test('V-6: two branches without a common commit cannot be merged', async () => {
  const answer = { message: 'No common ancestor between the two.' };
  for (const basehead of [`${BASE}...${HEAD}`, `${HEAD}...${BASE}`])
    on(COMPARE, { at: { basehead }, status: 404, answer });
  expect(await github.mergeSides(HEAD, BASE)).toBeUndefined();
});

test('V-6: a repository that GitHub does not list as a whole is too large', async () => {
  onCompare(BASE, HEAD, 'Ours');
  onCompare(HEAD, BASE, 'Theirs');
  onFiles(ANCESTOR, [], true);
  expect(await github.mergeSides(HEAD, BASE)).toBe('too_large');
});

test('V-6: the content of a file, the commits that changed it, and a rule against merges', async () => {
  on(READ_BLOB, { at: { file_sha: sha('1') }, answer: { content: 'aGVs\nbG8=\n', encoding: 'base64' } });
  expect(await github.blob(sha('1'))).toBe('aGVsbG8=');
  on(COMMITS, { answer: [exampleItem(COMMITS, { sha: HEAD })] });
  expect(await github.commitsOf('a/b.txt', HEAD)).toEqual([HEAD]);
  expect(sent.at(-1)?.query).toMatchObject({ sha: HEAD, path: 'a/b.txt' });
  on(RULES, { at: { branch: 'autobuild/issue-7' }, answer: [{ type: 'required_linear_history' }] });
  expect(await github.forbidsMerges('autobuild/issue-7')).toBe(true);
  on(RULES, { at: { branch: 'autobuild/issue-8' }, answer: [{ type: 'deletion' }] });
  expect(await github.forbidsMerges('autobuild/issue-8')).toBe(false);
  // A plan without rules.
  on(RULES, { at: { branch: 'autobuild/issue-9' }, status: 404 });
  expect(await github.forbidsMerges('autobuild/issue-9')).toBe(false);
});
