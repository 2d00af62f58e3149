import { describe, expect, test } from 'vitest';
import { findReplaced } from '../../src/github/base-tree.ts';
import { expectLinear } from '../expect-linear.ts';
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

function onWhole(tree: object[], truncated = false): void {
  on(READ_COMMIT, { at: { commit_sha: HEAD }, answer: { tree: { sha: sha('root') } } });
  onTree('root', tree, truncated);
}

const WHOLE = [
  entry('README.md', 'blob'),
  entry('infra', 'tree'),
  entry('infra/lib', 'commit'),
  entry('infra/prod', 'tree'),
  entry('infra/prod/main.tf', 'blob'),
  entry('infrared', 'blob'),
  entry('lib', 'commit'),
  entry('src', 'tree'),
  entry('src/a.ts', 'blob'),
];

/** Too large for one answer: read by directory. */
function onLarge(): void {
  onWhole([entry('README.md', 'blob')], true);
  onTree('root', [
    entry('README.md', 'blob'),
    entry('infra', 'tree'),
    entry('src', 'tree'),
    entry('lib', 'commit'),
  ]);
}

const CASES = [
  ['a file in the place of a directory', ['infra', 'README.md'], ['infra/lib', 'infra/prod/main.tf']],
  ['a file in the place of a directory further down', ['infra/prod'], ['infra/prod/main.tf']],
  ['a file below a file, or below a submodule', ['README.md/x', 'lib/y/z', 'new/z'], ['README.md', 'lib']],
  ['files that are there, and new ones', ['src/a.ts', 'src/new.ts', 'README.md', 'infr'], []],
] as const;

test.each(CASES)('S-12: what is replaced by %s', async (_, paths, replaced) => {
  onWhole(WHOLE);
  const found = await github.replacedFiles(HEAD, paths);
  expect(found.map(({ path }) => path)).toEqual(replaced);
  for (const { by } of found) expect(paths).toContain(by);
  expect(sent.at(-1)?.query).toEqual({ recursive: '1' });
});

test('S-12: many directories are one answer', async () => {
  const names = Array.from({ length: 50 }, (_, index) => `packages/p${index}/src/x.ts`);
  onWhole(names.map((name) => entry(name, 'blob')));
  expect(await github.replacedFiles(HEAD, names)).toEqual([]);
  expect(sent).toHaveLength(2);
});

describe('S-12: a tree that is too large for one answer', () => {
  test('a file in the place of a directory replaces all that is below it', async () => {
    onLarge();
    onTree('infra', [entry('prod', 'tree'), entry('prod/main.tf', 'blob'), entry('lib', 'commit')]);
    expect(await github.replacedFiles(HEAD, ['infra', 'README.md'])).toEqual([
      { path: 'infra/prod/main.tf', by: 'infra' },
      { path: 'infra/lib', by: 'infra' },
    ]);
    expect(sent.map(({ query }) => query)).toEqual([{}, { recursive: '1' }, {}, { recursive: '1' }]);
  });

  test('more than GitHub names is replaced, too', async () => {
    onLarge();
    onTree('infra', [entry('a', 'blob')], true);
    expect(await github.replacedFiles(HEAD, ['infra'])).toContainEqual({ path: 'infra/', by: 'infra' });
  });

  test('a file below a file, or below a submodule, replaces that', async () => {
    onLarge();
    expect(await github.replacedFiles(HEAD, ['README.md/x', 'lib/y', 'new/z'])).toEqual([
      { path: 'README.md', by: 'README.md/x' },
      { path: 'lib', by: 'lib/y' },
    ]);
  });

  test('only directories that something is written to are read, each with all that is below it', async () => {
    onLarge();
    onTree('src', [entry('deep', 'tree'), entry('deep/er', 'tree'), entry('deep/er/a.ts', 'blob')]);
    expect(await github.replacedFiles(HEAD, ['src/deep/er', 'src/deep/new/b.ts', 'README.md'])).toEqual([
      { path: 'src/deep/er/a.ts', by: 'src/deep/er' },
    ]);
    expect(sent).toHaveLength(4);
  });
});

test('looking takes as long as the tree and the paths are, not their product', () => {
  const pathsOf = (size: number) => Array.from({ length: size }, (_, index) => `p${index}/src/x.ts`);
  expectLinear((size) => void findReplaced(pathsOf(size), pathsOf(size)), 2000);
});

test('without files nothing is asked', async () => {
  expect(await github.replacedFiles(HEAD, [])).toEqual([]);
  expect(sent).toEqual([]);
});

describe('V-5: paths at which two commits differ', () => {
  const NEXT = sha('next');
  const other = (path: string) => ({ ...entry(path, 'blob'), sha: sha(`other ${path}`) });
  const onNext = (tree: object[], truncated = false) => {
    on(READ_COMMIT, { at: { commit_sha: NEXT }, answer: { tree: { sha: sha('later') } } });
    onTree('later', tree, truncated);
  };

  test('changed, new and removed files, and no directory for what is in it', async () => {
    onWhole(WHOLE);
    const moved = { ...entry('infra', 'tree'), sha: sha('another') };
    onNext([...WHOLE.slice(2), moved, other('README.md'), entry('new.ts', 'blob')].filter(isNotLib));
    expect(await github.changedFiles(HEAD, NEXT)).toEqual(['README.md', 'lib', 'new.ts']);
  });

  test('nothing is said where GitHub does not list all', async () => {
    onWhole(WHOLE);
    onNext(WHOLE, true);
    expect(await github.changedFiles(HEAD, NEXT)).toBeUndefined();
  });

  const isNotLib = ({ path }: { path: string }) => path !== 'lib';
});
