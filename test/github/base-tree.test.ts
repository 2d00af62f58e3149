import { expect, test } from 'vitest';
import { useGitHubApi } from './github-api.ts';

const READ_COMMIT = 'GET /repos/{owner}/{repo}/git/commits/{commit_sha}';
const READ_TREE = 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}';
const sha = (name: string) => Buffer.from(name.padEnd(20, '.')).toString('hex');
const HEAD = sha('head');

const { on, sent, github } = useGitHubApi();

const entry = (path: string, type: 'blob' | 'tree' | 'commit') => {
  const mode = { blob: '100644', tree: '040000', commit: '160000' }[type];
  return { path, mode, type, sha: sha(path), url: `https://api.github.com/x/${path}` };
};

function onTree(name: string, tree: object[], truncated = false): void {
  on(READ_TREE, { at: { tree_sha: sha(name) }, answer: { sha: sha(name), tree, truncated } });
}

function onRoot(): void {
  on(READ_COMMIT, { at: { commit_sha: HEAD }, answer: { tree: { sha: sha('root') } } });
  onTree('root', [
    entry('README.md', 'blob'),
    entry('infra', 'tree'),
    entry('src', 'tree'),
    entry('lib', 'commit'),
  ]);
}

test('S-12: a file in the place of a directory replaces all that is below it', async () => {
  onRoot();
  onTree('infra', [entry('prod', 'tree'), entry('prod/main.tf', 'blob'), entry('lib', 'commit')]);
  expect(await github.replacedFiles(HEAD, ['infra', 'README.md'])).toEqual([
    { path: 'infra/prod/main.tf', by: 'infra' },
    { path: 'infra/lib', by: 'infra' },
  ]);
  expect(sent.at(-1)?.query).toEqual({ recursive: '1' });
});

test('S-12: more than GitHub names is replaced, too', async () => {
  onRoot();
  onTree('infra', [entry('a', 'blob')], true);
  expect(await github.replacedFiles(HEAD, ['infra'])).toContainEqual({ path: 'infra/', by: 'infra' });
});

test('S-12: a file below a file, or below a submodule, replaces that', async () => {
  onRoot();
  expect(await github.replacedFiles(HEAD, ['README.md/x', 'lib/y', 'new/z'])).toEqual([
    { path: 'README.md', by: 'README.md/x' },
    { path: 'lib', by: 'lib/y' },
  ]);
});

test('only directories that something is written to are read', async () => {
  onRoot();
  onTree('src', [entry('a.ts', 'blob'), entry('deep', 'tree')]);
  expect(await github.replacedFiles(HEAD, ['src/a.ts', 'src/new.ts', 'README.md'])).toEqual([]);
  expect(sent).toHaveLength(3);
});

test('without files nothing is asked', async () => {
  expect(await github.replacedFiles(HEAD, [])).toEqual([]);
  expect(sent).toEqual([]);
});
