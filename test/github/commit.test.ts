import { expect, test } from 'vitest';
import type { CommitFile } from '../../src/core/ports/github-port.ts';
import { useGitHubApi } from './github-api.ts';

const READ_COMMIT = 'GET /repos/{owner}/{repo}/git/commits/{commit_sha}';
const BLOB = 'POST /repos/{owner}/{repo}/git/blobs';
const TREE = 'POST /repos/{owner}/{repo}/git/trees';
const COMMIT = 'POST /repos/{owner}/{repo}/git/commits';
const READ_REF = 'GET /repos/{owner}/{repo}/git/ref/{ref}';
const CREATE_REF = 'POST /repos/{owner}/{repo}/git/refs';
const UPDATE_REF = 'PATCH /repos/{owner}/{repo}/git/refs/{ref}';

const [PARENT, BASE, NEW_TREE, NEW, HEAD] = ['a', 'b', 'c', 'd', 'e'].map((digit) => digit.repeat(40)) as [
  string,
  string,
  string,
  string,
  string,
];
const branch = 'autobuild/issue-7';
const ref = { ref: `heads/${branch}` };
const message = 'Build it [skip ci]';
const base64 = (content: string | Uint8Array) => Buffer.from(content).toString('base64');
const text: CommitFile = { path: 'a.txt', mode: '100644', content: base64('hello ü\n') };

const { on, sent, github } = useGitHubApi();

function onTree(): void {
  on(READ_COMMIT, { at: { commit_sha: PARENT }, answer: { tree: { sha: BASE } } });
  on(TREE, { answer: { sha: NEW_TREE } });
}

function onHead(sha: string | undefined): void {
  if (sha === undefined) on(READ_REF, { at: ref, status: 404 });
  else on(READ_REF, { at: ref, answer: { object: { sha } } });
}

const onCommit = (verified = true) => on(COMMIT, { answer: { sha: NEW, verification: { verified } } });
const commit = (files: CommitFile[], force = false) =>
  github.commit({ branch, parent: PARENT, message, files, force });
const sentTo = (route: string) => sent.filter((request) => request.route === route).map(({ body }) => body);

test('a new branch: text in the tree, bytes as a base64 blob, deletions, modes', async () => {
  const bytes = base64(Uint8Array.of(0xff, 0x00, 0x80));
  onTree();
  on(BLOB, { answer: { sha: HEAD } });
  onHead(undefined);
  onCommit();
  on(CREATE_REF);
  const result = await commit([
    text,
    { path: 'bin/run', mode: '100755', content: bytes },
    { path: 'old.txt', mode: '100644', content: null },
  ]);

  expect(result).toEqual({ sha: NEW, base_tree: BASE, verified: true });
  expect(sentTo(BLOB)).toEqual([{ content: bytes, encoding: 'base64' }]);
  expect(sentTo(TREE)).toEqual([
    {
      base_tree: BASE,
      tree: [
        { path: 'a.txt', mode: '100644', type: 'blob', content: 'hello ü\n' },
        { path: 'bin/run', mode: '100755', type: 'blob', sha: HEAD },
        { path: 'old.txt', mode: '100644', type: 'blob', sha: null },
      ],
    },
  ]);
  // No author and no committer: GitHub signs it.
  expect(sentTo(COMMIT)).toEqual([{ message, tree: NEW_TREE, parents: [PARENT] }]);
  expect(sentTo(CREATE_REF)).toEqual([{ ref: `refs/heads/${branch}`, sha: NEW }]);
});

test.each([true, false])('an existing branch is moved, by force only when asked: %s', async (force) => {
  onTree();
  onHead(PARENT);
  if (force) onHead(PARENT);
  onCommit();
  on(UPDATE_REF, { at: ref });
  await commit([text], force);
  expect(sentTo(UPDATE_REF)).toEqual([{ sha: NEW, force }]);
});

test('R-2: the commit is made known before the branch leads to it', async () => {
  onTree();
  onHead(PARENT);
  onCommit();
  const known: string[] = [];
  const failing = github.commit({
    branch,
    parent: PARENT,
    message,
    files: [text],
    force: true,
    async onCreated(sha) {
      known.push(sha);
      throw new Error('not kept');
    },
  });
  await expect(failing).rejects.toThrow('not kept');
  expect(known).toEqual([NEW]);
  expect(sentTo(UPDATE_REF)).toEqual([]);
});

test('without files the tree stays, and only the message is new', async () => {
  on(READ_COMMIT, { at: { commit_sha: PARENT }, answer: { tree: { sha: BASE } } });
  onHead(PARENT);
  onCommit();
  on(UPDATE_REF, { at: ref });
  expect(await commit([])).toEqual({ sha: NEW, base_tree: BASE, verified: true });
  expect(sentTo(COMMIT)).toEqual([{ message, tree: BASE, parents: [PARENT] }]);
});

test('a branch that moved is an error', async () => {
  onTree();
  onHead(HEAD);
  on(READ_COMMIT, { at: { commit_sha: HEAD } });
  onCommit();
  on(UPDATE_REF, { at: ref, status: 422, answer: { message: 'Update is not a fast forward' } });
  await expect(commit([text])).rejects.toThrow('Update is not a fast forward');
});

test.each([true, false])(
  'V-5: a branch that somebody else made meanwhile is not moved, force: %s',
  async (force) => {
    onTree();
    onHead(undefined);
    onCommit();
    on(CREATE_REF, { status: 422, answer: { message: 'Reference already exists' } });
    onHead(HEAD);
    await expect(commit([text], force)).rejects.toMatchObject({ status: 409 });
    expect(sentTo(UPDATE_REF)).toEqual([]);
  },
);

test('R-2: a branch that exists already, because the response was lost when it was made, is as it should be', async () => {
  onTree();
  onHead(undefined);
  onCommit();
  on(CREATE_REF, { status: 422, answer: { message: 'Reference already exists' } });
  onHead(NEW);
  expect((await commit([text])).sha).toBe(NEW);
});

test('V-5: a push while the files are uploaded is not overwritten, although the move is forced', async () => {
  onTree();
  onHead(PARENT);
  onCommit();
  onHead(HEAD);
  await expect(commit([text], true)).rejects.toMatchObject({ status: 409 });
  expect(sentTo(UPDATE_REF)).toEqual([]);
});

const twin = {
  sha: HEAD,
  message,
  tree: { sha: NEW_TREE },
  parents: [{ sha: PARENT, url: 'https://api.github.com/x', html_url: 'https://github.com/x' }],
  verification: { verified: true },
};

test('R-14: the head and the base are not asked for where they are known', async () => {
  on(TREE, { answer: { sha: NEW_TREE } });
  onCommit();
  on(UPDATE_REF, { at: ref });
  const present = { head: HEAD, isAnother: true };
  const options = { branch, parent: PARENT, message, files: [text], force: false };
  await github.commit({ ...options, present, base_tree: BASE });
  expect(sentTo(TREE)).toMatchObject([{ base_tree: BASE }]);
  expect(sent.map(({ route }) => route)).toEqual([TREE, COMMIT, UPDATE_REF]);
});

test('R-2: a commit whose answer was lost is found again instead of made twice', async () => {
  onTree();
  onHead(HEAD);
  on(READ_COMMIT, { at: { commit_sha: HEAD }, answer: twin });
  expect(await commit([text])).toEqual({ sha: HEAD, base_tree: BASE, verified: true });
  expect(sentTo(COMMIT)).toEqual([]);
});

test.each([{ message: 'another' }, { tree: { sha: BASE } }, { parents: [] }])(
  'a head that differs in %j is no twin',
  async (difference) => {
    onTree();
    onHead(HEAD);
    on(READ_COMMIT, { at: { commit_sha: HEAD }, answer: { ...twin, ...difference } });
    onCommit();
    onHead(HEAD);
    on(UPDATE_REF, { at: ref });
    expect((await commit([text], true)).sha).toBe(NEW);
  },
);

const ofRound = () => {
  const options = { branch, parent: PARENT, message, files: [text], force: false };
  return github.commit({ ...options, present: { head: HEAD, isAnother: false, isOurs: true } });
};

test('R-2, V-5: a commit that is known to be ours is found again under another message', async () => {
  onTree();
  on(READ_COMMIT, { at: { commit_sha: HEAD }, answer: { ...twin, message: 'another' } });
  expect(await ofRound()).toEqual({ sha: HEAD, base_tree: BASE, verified: true });
  expect(sentTo(COMMIT)).toEqual([]);
});

test.each([{ tree: { sha: BASE } }, { parents: [] }])(
  'R-2: a commit that is known to be ours and differs in %j is no twin',
  async (difference) => {
    onTree();
    on(READ_COMMIT, { at: { commit_sha: HEAD }, answer: { ...twin, ...difference } });
    onCommit();
    on(UPDATE_REF, { at: ref });
    expect((await ofRound()).sha).toBe(NEW);
  },
);

test.each([true, false])('verified is read back when the answer does not say so: %s', async (verified) => {
  onTree();
  onHead(undefined);
  onCommit(false);
  on(CREATE_REF);
  on(READ_COMMIT, { at: { commit_sha: NEW }, answer: { verification: { verified } } });
  expect(await commit([text])).toEqual({ sha: NEW, base_tree: BASE, verified });
});

test.each([
  ['a null byte', Buffer.from('a\0b')],
  ['broken UTF-8', Buffer.from([0x61, 0xc3])],
  ['more than 256 KiB', Buffer.alloc(256 * 1024 + 1, 'x')],
])('%s goes as a blob', async (_, bytes) => {
  onTree();
  on(BLOB, { answer: { sha: HEAD } });
  onHead(undefined);
  onCommit();
  on(CREATE_REF);
  await commit([{ ...text, content: base64(bytes) }]);
  expect(sentTo(BLOB)).toEqual([{ content: base64(bytes), encoding: 'base64' }]);
});

test('a byte order mark stays where it is', async () => {
  onTree();
  onHead(undefined);
  onCommit();
  on(CREATE_REF);
  await commit([{ ...text, content: base64('\ufeffhello') }]);
  expect(sentTo(TREE)).toMatchObject([{ tree: [{ content: '\ufeffhello' }] }]);
});

test('text in one tree is bounded over all files', async () => {
  const files = Array.from({ length: 9 }, (_, index) => ({
    ...text,
    path: `${index}.txt`,
    content: base64('x'.repeat(256 * 1024)),
  }));
  onTree();
  on(BLOB, { answer: { sha: HEAD } });
  onHead(undefined);
  onCommit();
  on(CREATE_REF);
  await commit(files);
  expect(sentTo(BLOB)).toHaveLength(1);
});

test('a blob over 40 MiB is refused before anything is sent', async () => {
  const large = base64(Buffer.alloc(40 * 1024 * 1024 + 1));
  await expect(commit([text, { ...text, path: 'big.bin', content: large }])).rejects.toThrow(
    '"big.bin" has 41943041 bytes; a blob sent to GitHub may have 41943040 (40 MiB). Nothing was committed',
  );
  expect(sent).toEqual([]);
});

test('content that is not base64 is refused', async () => {
  on(READ_COMMIT, { at: { commit_sha: PARENT }, answer: { tree: { sha: BASE } } });
  await expect(commit([{ ...text, content: 'not base64!' }])).rejects.toThrow('not base64');
});

test('a blob that fails stops the commit', async () => {
  on(READ_COMMIT, { at: { commit_sha: PARENT }, answer: { tree: { sha: BASE } } });
  on(BLOB, { status: 500, answer: { message: 'Server Error' } });
  await expect(commit([{ ...text, content: base64('\0') }])).rejects.toMatchObject({ status: 500 });
});

test('a workflow file without the permission for it names the permission', async () => {
  onTree();
  onHead(undefined);
  onCommit();
  const refused =
    'refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission';
  on(CREATE_REF, { status: 422, answer: { message: refused } });
  await expect(commit([text])).rejects.toMatchObject({ missingPermission: 'workflows=write' });
});

const WORDS = 'Build it';
const PARENTS = [{ sha: PARENT, url: 'https://api.github.com/x', html_url: 'https://github.com/x' }];
const reword = (created: string[] = []) =>
  github.reword({
    branch,
    commits: [{ sha: HEAD, message: WORDS }],
    onCreated: async (sha) => void created.push(sha),
  });
const onOld = () =>
  on(READ_COMMIT, {
    at: { commit_sha: HEAD },
    answer: { tree: { sha: BASE }, parents: PARENTS, message },
  });

test('a commit is made again with other words: the same tree and parents, known before the branch moves', async () => {
  onOld();
  onHead(HEAD);
  onHead(HEAD);
  onCommit();
  on(UPDATE_REF, { at: ref });
  const created: string[] = [];
  expect(await reword(created)).toEqual({ shas: [NEW] });
  expect(created).toEqual([NEW]);
  expect(sentTo(COMMIT)).toEqual([{ message: WORDS, tree: BASE, parents: [PARENT] }]);
  expect(sentTo(UPDATE_REF)).toEqual([{ sha: NEW, force: true }]);
});

test('R-2: after a lost answer the commit with other words is found, and no second one is made', async () => {
  onOld();
  onHead(NEW);
  on(READ_COMMIT, {
    at: { commit_sha: NEW },
    answer: { tree: { sha: BASE }, parents: PARENTS, message: WORDS },
  });
  expect(await reword()).toEqual({ shas: [NEW] });
  expect(sentTo(COMMIT)).toEqual([]);
});

const [LOWER, NEW_LOWER, MERGED] = ['1', '2', '3'].map((digit) => digit.repeat(40)) as [
  string,
  string,
  string,
];
const parentsOf = (...shas: string[]) => shas.map((sha) => ({ ...PARENTS[0], sha }));
const rewordTwo = (created: string[] = []) =>
  github.reword({
    branch,
    commits: [
      { sha: LOWER, message: 'Build' },
      { sha: HEAD, message: WORDS },
    ],
    onCreated: async (sha) => void created.push(sha),
  });

/** A merge on top of a commit. */
function onTwo(): void {
  on(READ_COMMIT, { at: { commit_sha: LOWER }, answer: { tree: { sha: NEW_TREE }, parents: PARENTS } });
  on(READ_COMMIT, {
    at: { commit_sha: HEAD },
    answer: { tree: { sha: BASE }, parents: parentsOf(LOWER, MERGED) },
  });
}

test('V-5: commits are made again one on the other, with their trees and second parents, and the branch moves once', async () => {
  onTwo();
  onHead(HEAD);
  onHead(HEAD);
  on(COMMIT, { answer: { sha: NEW_LOWER } });
  onCommit();
  on(UPDATE_REF, { at: ref });
  const created: string[] = [];
  expect(await rewordTwo(created)).toEqual({ shas: [NEW_LOWER, NEW] });
  expect(created).toEqual([NEW_LOWER, NEW]);
  expect(sentTo(COMMIT)).toEqual([
    { message: 'Build', tree: NEW_TREE, parents: [PARENT] },
    { message: WORDS, tree: BASE, parents: [NEW_LOWER, MERGED] },
  ]);
  expect(sentTo(UPDATE_REF)).toEqual([{ sha: NEW, force: true }]);
});

test.each([
  ['are found', PARENT, [NEW_LOWER, NEW]],
  ['on another commit are not taken for them', HEAD, undefined],
])('R-2: after a lost answer both commits with other words %s', async (_, below, shas) => {
  onTwo();
  onHead(NEW);
  on(READ_COMMIT, {
    at: { commit_sha: NEW },
    answer: { tree: { sha: BASE }, parents: parentsOf(NEW_LOWER, MERGED), message: WORDS },
  });
  on(READ_COMMIT, {
    at: { commit_sha: NEW_LOWER },
    answer: { tree: { sha: NEW_TREE }, parents: parentsOf(below), message: 'Build' },
  });
  if (shas) expect(await rewordTwo()).toEqual({ shas });
  else await expect(rewordTwo()).rejects.toMatchObject({ status: 409 });
  expect(sentTo(COMMIT)).toEqual([]);
});

test('R-8: a branch that has moved is left alone', async () => {
  onOld();
  onHead(PARENT);
  on(READ_COMMIT, { at: { commit_sha: PARENT }, answer: { tree: { sha: NEW_TREE }, parents: [] } });
  await expect(reword()).rejects.toMatchObject({ status: 409 });
  expect(sentTo(UPDATE_REF)).toEqual([]);
});

test('V-6: a merge has two parents, and the files are a change of the second one’s tree', async () => {
  on(READ_COMMIT, { at: { commit_sha: HEAD }, answer: { tree: { sha: BASE } } });
  on(TREE, { answer: { sha: NEW_TREE } });
  onHead(PARENT);
  onCommit();
  on(UPDATE_REF, { at: ref, answer: { object: { sha: NEW } } });
  await github.commit({ branch, parent: PARENT, merged: HEAD, message, files: [text], force: false });
  expect(sent.find(({ body }) => body?.base_tree)?.body).toMatchObject({ base_tree: BASE });
  expect(sent.find(({ body }) => body?.parents)?.body).toMatchObject({ parents: [PARENT, HEAD] });
});
