import { beforeEach, describe, expect, test } from 'vitest';
import type { RefStorage } from '../../src/core/ports/ref-storage.ts';
import { createRefStorage } from '../../src/github/ref-storage.ts';
import { createOctokit, REPOSITORY, useGitHubApi } from './github-api.ts';

const READ_REF = 'GET /repos/{owner}/{repo}/git/ref/{ref}';
const READ_COMMIT = 'GET /repos/{owner}/{repo}/git/commits/{commit_sha}';
const READ_TREE = 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}';
const READ_BLOB = 'GET /repos/{owner}/{repo}/git/blobs/{file_sha}';
const LIST = 'GET /repos/{owner}/{repo}/git/matching-refs/{ref}';
const BLOB = 'POST /repos/{owner}/{repo}/git/blobs';
const TREE = 'POST /repos/{owner}/{repo}/git/trees';
const COMMIT = 'POST /repos/{owner}/{repo}/git/commits';
const CREATE_REF = 'POST /repos/{owner}/{repo}/git/refs';
const UPDATE_REF = 'PATCH /repos/{owner}/{repo}/git/refs/{ref}';
const DELETE_REF = 'DELETE /repos/{owner}/{repo}/git/refs/{ref}';

const oid = (digit: string) => digit.repeat(40);
const [HEAD, TREE_OID, STATE, BRIEF, NEW, NEW_TREE, NEW_STATE] = [...'abcdef1'].map(oid) as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
];
const NOTHING = oid('0');
const REF = 'refs/autobuild/issue-7';
const BRANCH = 'refs/heads/autobuild-state/issue-7';
const own = { ref: 'autobuild/issue-7' };
const branch = { ref: 'heads/autobuild-state/issue-7' };
const message = '{"holder":null}';
const change = { message, entries: { state: Buffer.from('c2VhbGVk'), brief: { oid: BRIEF } } };
const keep = { message, entries: { state: { oid: STATE }, brief: { oid: BRIEF } } };

const { on, onGraphql, sent } = useGitHubApi();
const sentTo = (route: string) => sent.filter((request) => request.route === route).map(({ body }) => body);
const routes = () => sent.map(({ route }) => route.replace('/repos/{owner}/{repo}/git', ''));
const variablesOf = (index: number) => sentTo('GraphQL')[index]?.variables;

let storage: RefStorage;
beforeEach(() => {
  storage = createRefStorage(createOctokit(), REPOSITORY);
});

const target = (state: object = { isTruncated: false, text: 'c3RhdGU=' }) => ({
  target: {
    oid: HEAD,
    message,
    tree: {
      oid: TREE_OID,
      entries: [
        { name: 'brief', oid: BRIEF, object: { isTruncated: false, text: 'YnJpZWY=' } },
        { name: 'state', oid: STATE, object: state },
      ],
    },
  },
});
const onRead = (found: { own?: object; branch?: object } = { own: target() }) =>
  onGraphql({ data: { repository: { id: 'R_1', own: null, branch: null, ...found } } });
const refuseGraphql = () => onGraphql({ errors: [{ message: 'Something went wrong' }] });
const onUpdateRefs = () => onGraphql({ data: { updateRefs: { clientMutationId: null } } });
const onTree = () =>
  on(TREE, {
    answer: {
      sha: NEW_TREE,
      tree: [
        { path: 'state', mode: '100644', type: 'blob', size: 8, sha: NEW_STATE, url: 'https://x' },
        { path: 'brief', mode: '100644', type: 'blob', size: 8, sha: BRIEF, url: 'https://x' },
      ],
    },
  });
const onCommit = (sha = NEW) => on(COMMIT, { answer: { sha } });
const onHead = (sha: string | undefined, at = own) =>
  on(READ_REF, sha === undefined ? { at, status: 404 } : { at, answer: { object: { sha } } });

describe('reading', () => {
  test('N-2: ref, message, entries and their content are one call', async () => {
    onRead();
    expect(await storage.read(REF)).toEqual({ oid: HEAD, message, entries: { brief: BRIEF, state: STATE } });
    expect(Buffer.from(await storage.blob(STATE)).toString()).toBe('c3RhdGU=');
    expect(Buffer.from(await storage.blob(BRIEF)).toString()).toBe('YnJpZWY=');
    expect(sent).toHaveLength(1);
    expect(variablesOf(0)).toEqual({ owner: 'alice', repo: 'demo', ref: REF, branch: BRANCH });
  });

  test.each([
    ['cut off', { isTruncated: true, text: 'c3R' }],
    ['binary', { isTruncated: false, text: null }],
  ])('N-2: a state that comes %s is fetched by itself', async (_, state) => {
    onRead({ own: target(state) });
    on(READ_BLOB, { at: { file_sha: STATE }, answer: { content: 'AP+A\nAA==\n', encoding: 'base64' } });
    await storage.read(REF);
    expect(Buffer.from(await storage.blob(STATE))).toEqual(Buffer.from([0, 0xff, 0x80, 0]));
  });

  test('N-2: a ref that GraphQL does not show is read by REST', async () => {
    onRead({});
    onHead(HEAD);
    on(READ_COMMIT, { at: { commit_sha: HEAD }, answer: { message, tree: { sha: TREE_OID } } });
    on(READ_TREE, {
      at: { tree_sha: TREE_OID },
      answer: {
        tree: [{ path: 'state', mode: '100644', type: 'blob', size: 8, sha: STATE, url: 'https://x' }],
      },
    });
    expect(await storage.read(REF)).toEqual({ oid: HEAD, message, entries: { state: STATE } });
  });

  test('N-2: where GraphQL fails, ref and branch are looked for by REST', async () => {
    refuseGraphql();
    onHead(undefined);
    onHead(undefined, branch);
    expect(await storage.read(REF)).toBeUndefined();
  });

  test('N-2: no ref, neither its own nor a branch', async () => {
    onRead({});
    onHead(undefined);
    expect(await storage.read(REF)).toBeUndefined();
  });

  describe('the issue and the default branch, read along', () => {
    const REST_ISSUE = 'GET /repos/{owner}/{repo}/issues/{issue_number}';
    const issue = {
      ...{ number: 7, id: 'I_7', title: 'Till', body: 'Broken', state: 'OPEN', locked: false },
      updatedAt: '2026-10-18T06:20:04Z',
      author: { __typename: 'Bot', login: 'reporter' },
      comments: { totalCount: 3 },
      labels: { totalCount: 1, nodes: [{ id: 'LA_1', name: 'autobuild' }] },
    };
    const defaultBranchRef = { name: 'main', target: { oid: NEW } };
    let told: [route: string, options: object, data: unknown][];
    beforeEach(() => {
      told = [];
      storage = createRefStorage(createOctokit(), REPOSITORY, (...fact) => void told.push(fact));
    });

    test('N-1: they come with the ref, in the form of the calls that would ask for them', async () => {
      onRead({ own: target(), ...{ defaultBranchRef, issue } });
      await storage.read(REF);
      expect(sent).toHaveLength(1);
      expect(variablesOf(0)).toMatchObject({ ref: REF, issue: 7 });
      expect(told).toEqual([
        [READ_REF, { ref: 'heads/main' }, { object: { sha: NEW } }],
        [
          REST_ISSUE,
          { issue_number: 7 },
          {
            ...{ number: 7, node_id: 'I_7', title: 'Till', body: 'Broken', state: 'open', locked: false },
            user: { login: 'reporter[bot]' },
            comments: 3,
            updated_at: '2026-10-18T06:20:04Z',
            labels: [{ name: 'autobuild', node_id: 'LA_1' }],
          },
        ],
      ]);
    });

    test('N-1: an issue that is gone, or that the token may not read, keeps no desk from its ref', async () => {
      refuseGraphql();
      onRead();
      expect(await storage.read(REF)).toMatchObject({ oid: HEAD });
      expect(told).toEqual([]);
      expect(variablesOf(1)).not.toHaveProperty('issue');
    });

    test('N-1: what is not told whole is not told', async () => {
      const labels = { totalCount: 101, nodes: issue.labels.nodes };
      onRead({ own: target(), ...{ defaultBranchRef: null, issue: { ...issue, labels } } });
      await storage.read(REF);
      expect(told).toEqual([]);
    });

    test('N-1: a build asks for its ref only, because its token may read nothing else', async () => {
      storage = createRefStorage(createOctokit(), REPOSITORY);
      onRead();
      await storage.read(REF);
      expect(String(sentTo('GraphQL')[0]?.query)).not.toContain('issue');
    });
  });

  test('N-2: while GitHub asks to wait, no other way is tried', async () => {
    onGraphql({ errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }] });
    await expect(storage.read(REF)).rejects.toMatchObject({ status: 429 });
    expect(sent).toHaveLength(1);
  });
});

describe('swapping', () => {
  test('N-2: text goes with the tree, what stays by its id, and the ref moves by compare-and-swap', async () => {
    onRead();
    onTree();
    onCommit();
    onUpdateRefs();
    await storage.read(REF);
    expect(await storage.swap(REF, HEAD, change)).toEqual({
      oid: NEW,
      entries: { state: NEW_STATE, brief: BRIEF },
    });
    expect(routes()).toEqual(['GraphQL', 'POST /trees', 'POST /commits', 'GraphQL']);
    expect(sentTo(TREE)).toEqual([
      {
        tree: [
          { path: 'state', mode: '100644', type: 'blob', content: 'c2VhbGVk' },
          { path: 'brief', mode: '100644', type: 'blob', sha: BRIEF },
        ],
      },
    ]);
    expect(sentTo(COMMIT)).toEqual([{ message, tree: NEW_TREE, parents: [HEAD] }]);
    expect(variablesOf(1)).toEqual({ repository: 'R_1', ref: REF, before: HEAD, after: NEW, force: false });
  });

  test('N-2: a lease alone needs no new tree', async () => {
    onRead();
    onCommit();
    onUpdateRefs();
    await storage.read(REF);
    expect(await storage.swap(REF, HEAD, keep)).toEqual({
      oid: NEW,
      entries: { state: STATE, brief: BRIEF },
    });
    expect(sentTo(COMMIT)).toEqual([{ message, tree: TREE_OID, parents: [HEAD] }]);
  });

  test('N-2: large or binary content is a blob of its own', async () => {
    onRead();
    on(BLOB, { answer: { sha: NEW_STATE } });
    on(BLOB, { answer: { sha: BRIEF } });
    onTree();
    onCommit();
    onUpdateRefs();
    await storage.read(REF);
    const entries = { state: Buffer.alloc(300_000, 'A'), brief: Buffer.from([0xff]) };
    await storage.swap(REF, HEAD, { message, entries });
    expect(sentTo(BLOB).map((body) => body.encoding)).toEqual(['base64', 'base64']);
  });

  test('N-2: a ref that is new must not be there before', async () => {
    onRead({});
    onHead(undefined);
    onTree();
    onCommit();
    onUpdateRefs();
    await storage.read(REF);
    await storage.swap(REF, undefined, change);
    expect(sentTo(COMMIT)).toEqual([{ message, tree: NEW_TREE, parents: [] }]);
    expect(variablesOf(1)).toMatchObject({ before: NOTHING, after: NEW });
  });

  test('N-2: a ref that moved meanwhile is left alone', async () => {
    onRead();
    onCommit();
    refuseGraphql();
    onHead(oid('9'));
    await storage.read(REF);
    expect(await storage.swap(REF, HEAD, keep)).toBeUndefined();
  });

  test('N-2: a change whose answer was lost is found', async () => {
    onRead();
    onCommit();
    refuseGraphql();
    onHead(NEW);
    await storage.read(REF);
    expect(await storage.swap(REF, HEAD, keep)).toMatchObject({ oid: NEW });
  });

  test('N-2: where GraphQL refuses, REST moves the ref, to a descendant only, and the next time at once', async () => {
    onRead();
    onCommit();
    refuseGraphql();
    onHead(HEAD);
    on(UPDATE_REF, { at: own });
    await storage.read(REF);
    expect(await storage.swap(REF, HEAD, keep)).toMatchObject({ oid: NEW });
    onCommit(oid('8'));
    on(UPDATE_REF, { at: own });
    await storage.swap(REF, NEW, { ...keep, withoutHistory: true });
    expect(sentTo(UPDATE_REF)).toEqual([
      { sha: NEW, force: false },
      { sha: oid('8'), force: false },
    ]);
    expect(sentTo(COMMIT)[1]).toMatchObject({ parents: [NEW] });
  });

  test.each([
    [422, 'Update is not a fast forward', oid('9')],
    [422, 'Reference does not exist', undefined],
  ])('N-2: REST says %i %s: the ref moved', async (status, said, found) => {
    onRead();
    onCommit();
    refuseGraphql();
    onHead(HEAD);
    on(UPDATE_REF, { at: own, status, answer: { message: said } });
    onHead(found);
    await storage.read(REF);
    expect(await storage.swap(REF, HEAD, keep)).toBeUndefined();
  });

  test('N-2: REST refuses for another reason: that is an error, not a race', async () => {
    onRead();
    onCommit();
    refuseGraphql();
    onHead(HEAD);
    on(UPDATE_REF, { at: own, status: 422, answer: { message: 'Repository rule violations found' } });
    onHead(HEAD);
    await storage.read(REF);
    await expect(storage.swap(REF, HEAD, keep)).rejects.toThrow('rule violations');
  });

  test('N-2: history is dropped where compare-and-swap has worked', async () => {
    onRead();
    onCommit();
    onUpdateRefs();
    await storage.read(REF);
    await storage.swap(REF, HEAD, keep);
    onCommit(oid('8'));
    onUpdateRefs();
    await storage.swap(REF, NEW, { ...keep, withoutHistory: true });
    expect(sentTo(COMMIT)[1]).toMatchObject({ parents: [] });
    expect(variablesOf(2)).toMatchObject({ before: NEW, after: oid('8'), force: true });
  });

  test('N-2: where refs of their own are refused, the state is on a branch, and found there', async () => {
    onRead({});
    onHead(undefined);
    onTree();
    onCommit();
    refuseGraphql();
    onHead(undefined);
    on(CREATE_REF, { status: 422, answer: { message: 'Reference name is not allowed' } });
    onHead(undefined);
    on(CREATE_REF);
    await storage.read(REF);
    expect(await storage.swap(REF, undefined, change)).toMatchObject({ oid: NEW });
    expect(sentTo(CREATE_REF).map(({ ref }) => ref)).toEqual([REF, BRANCH]);
    onRead({ branch: target() });
    onHead(undefined);
    await storage.read(REF);
    onCommit();
    on(UPDATE_REF, { at: branch });
    expect(await storage.swap(REF, HEAD, keep)).toMatchObject({ oid: NEW });
  });

  test('N-2: a new ref that another desk made first', async () => {
    refuseGraphql();
    onHead(undefined);
    onHead(undefined, branch);
    onTree();
    onCommit();
    on(CREATE_REF, { status: 422, answer: { message: 'Reference already exists' } });
    onHead(HEAD);
    await storage.read(REF);
    expect(await storage.swap(REF, undefined, change)).toBeUndefined();
  });
});

describe('listing and removing', () => {
  const listed = (ref: string) => ({
    ref,
    node_id: 'x',
    url: 'https://api.github.com/x',
    object: { type: 'commit', sha: HEAD, url: 'https://api.github.com/x' },
  });

  test('N-2: refs and the branches that stand in for them have one name', async () => {
    on(LIST, { at: { ref: 'autobuild/issue-' }, answer: [listed(REF)] });
    on(LIST, {
      at: { ref: 'heads/autobuild-state/issue-' },
      answer: [listed(BRANCH), listed('refs/heads/autobuild-state/issue-8')],
    });
    expect(await storage.list('refs/autobuild/issue-')).toEqual([REF, 'refs/autobuild/issue-8']);
  });

  test('N-2: a ref is removed by compare-and-swap', async () => {
    onRead();
    onUpdateRefs();
    await storage.read(REF);
    expect(await storage.remove(REF, HEAD)).toBe(true);
    expect(variablesOf(1)).toMatchObject({ before: HEAD, after: NOTHING });
  });

  test('N-2: or by REST, if it is still where it was', async () => {
    onHead(HEAD);
    on(DELETE_REF, { at: own });
    expect(await storage.remove(REF, HEAD)).toBe(true);
    onHead(NEW);
    expect(await storage.remove(REF, HEAD)).toBe(false);
    onHead(undefined);
    on(DELETE_REF, { at: own, status: 404 });
    expect(await storage.remove(REF, HEAD)).toBe(true);
  });
});
