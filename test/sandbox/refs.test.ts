import { Octokit } from '@octokit/rest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OctokitLike } from '../../src/github/client/client.ts';
import { rememberReads } from '../../src/github/client/remember-reads.ts';
import { createGitHub } from '../../src/github/github.ts';
import { createRefStorage } from '../../src/github/ref-storage.ts';
import { checkRequest, checkResponse } from '../github/openapi-contract.ts';
import { type LocalActions, openLocalActions, type PlayedJob, REPOSITORY } from './local-actions.ts';

const WORKFLOW = `
name: desk
on: workflow_dispatch
jobs:
  desk: { permissions: { contents: write, issues: read }, steps: [] }
  build: { permissions: { contents: read }, steps: [] }
`;
const NOTHING = '0'.repeat(40);
const UPDATE = `mutation($repositoryId: ID!, $refUpdates: [RefUpdate!]!) {
  updateRefs(input: {repositoryId: $repositoryId, refUpdates: $refUpdates}) { clientMutationId }
}`;

let actions: LocalActions;
let desk: PlayedJob;
let build: PlayedJob;
beforeAll(async () => {
  actions = await openLocalActions({ workflows: { 'desk.yml': WORKFLOW } });
  const path = `${REPOSITORY}/actions/workflows/desk.yml/dispatches`;
  await actions.github.callAs('olivia', 'POST', path, { ref: 'main' });
  desk = await actions.job('desk');
  build = await actions.job('build');
});
afterAll(() => actions.github.close());

/** Asks as GitHub describes it, and is answered so. */
async function ask(method: string, path: string, body?: unknown) {
  // Octokit encodes the slash, and others do not.
  const answer = await desk.call(method, path, body);
  const whole = `${REPOSITORY}${path.replace('autobuild/issue', 'autobuild%2Fissue')}`;
  expect(checkRequest(method, whole, body)).toEqual([]);
  expect(checkResponse(method, whole, answer.status, answer.body)).toEqual([]);
  return answer;
}

async function makeCommit(message: string, parents: string[]): Promise<string> {
  const blob = await ask('POST', '/git/blobs', {
    content: Buffer.from([0, 255, 1]).toString('base64'),
    encoding: 'base64',
  });
  const { sha } = blob.body as { sha: string };
  const tree = [{ path: 'state', mode: '100644', type: 'blob', sha }];
  const made = (await ask('POST', '/git/trees', { tree })).body as { sha: string };
  const commit = await ask('POST', '/git/commits', { message, tree: made.sha, parents });
  return (commit.body as { sha: string }).sha;
}

const at = async (name: string) => {
  const { status, body } = await desk.call('GET', `/git/ref/${name}`);
  return status === 200 ? (body as { object: { sha: string } }).object.sha : status;
};
const update = (refUpdates: object[], by = desk) => by.graphql(UPDATE, { repositoryId: 'R_1', refUpdates });

test('a ref outside heads is made, moved forward only, read and deleted', async () => {
  const root = await makeCommit('one', []);
  const next = await makeCommit('two', [root]);
  const other = await makeCommit('other', []);
  const ref = '/git/refs/autobuild/issue-1';
  const made = await ask('POST', '/git/refs', { ref: 'refs/autobuild/issue-1', sha: root });
  expect(made).toMatchObject({ status: 201, body: { ref: 'refs/autobuild/issue-1' } });
  expect(await ask('POST', '/git/refs', { ref: 'refs/autobuild/issue-1', sha: root })).toMatchObject({
    status: 422,
    body: { message: 'Reference already exists' },
  });
  expect((await ask('PATCH', ref, { sha: next, force: false })).status).toBe(200);
  expect(await ask('PATCH', ref, { sha: other, force: false })).toMatchObject({
    status: 422,
    body: { message: 'Update is not a fast forward' },
  });
  expect(await at('autobuild/issue-1')).toBe(next);
  const commit = (await ask('GET', `/git/commits/${next}`)).body as {
    message: string;
    tree: { sha: string };
  };
  expect(commit.message).toBe('two');
  const { tree } = (await ask('GET', `/git/trees/${commit.tree.sha}`)).body as { tree: { sha: string }[] };
  const blob = (await ask('GET', `/git/blobs/${tree[0]?.sha}`)).body as { content: string };
  expect([...Buffer.from(blob.content, 'base64')]).toEqual([0, 255, 1]);
  expect((await ask('DELETE', ref)).status).toBe(204);
  expect(await at('autobuild/issue-1')).toBe(404);
  for (const method of ['DELETE', 'PATCH'])
    expect(await desk.call(method, ref, method === 'PATCH' ? { sha: root } : undefined)).toMatchObject({
      status: 422,
      body: { message: 'Reference does not exist' },
    });
  expect((await build.call('POST', '/git/refs', { ref: 'refs/autobuild/x', sha: root })).status).toBe(403);
});

test('updateRefs compares before it moves, all of them or none', async () => {
  const root = await makeCommit('first', []);
  const next = await makeCommit('second', [root]);
  const unrelated = await makeCommit('unrelated', []);
  const [name, second] = ['refs/autobuild/issue-2', 'refs/autobuild/issue-3'];
  expect(await update([{ name, beforeOid: NOTHING, afterOid: root }])).toMatchObject({
    data: { updateRefs: { clientMutationId: null } },
  });
  expect((await update([{ name, beforeOid: NOTHING, afterOid: next }])).errors).toHaveLength(1);
  expect((await update([{ name, beforeOid: unrelated, afterOid: next }])).errors).toHaveLength(1);
  expect(await at('autobuild/issue-2')).toBe(root);
  // The first would be fine, were it not for the second.
  const pair = [
    { name, beforeOid: root, afterOid: next },
    { name: second, beforeOid: root, afterOid: next },
  ];
  expect((await update(pair)).errors).toHaveLength(1);
  expect(await at('autobuild/issue-2')).toBe(root);
  expect((await update([{ name, beforeOid: root, afterOid: unrelated }])).errors?.[0]?.message).toMatch(
    /not a fast-forward/,
  );
  expect(
    (await update([{ name, beforeOid: root, afterOid: unrelated, force: true }])).errors,
  ).toBeUndefined();
  expect(await at('autobuild/issue-2')).toBe(unrelated);
  expect((await update([{ name, beforeOid: unrelated, afterOid: NOTHING }])).errors).toBeUndefined();
  expect(await at('autobuild/issue-2')).toBe(404);
  expect((await update([{ name, afterOid: root }], build)).errors).toMatchObject([
    { type: 'FORBIDDEN', message: 'Resource not accessible by integration' },
  ]);
});

test('the store of refs works on it as it does on GitHub, by one call to read', async () => {
  const octokit = new Octokit({ auth: desk.job.token, baseUrl: `http://${actions.github.host}/api/v3` });
  const storage = createRefStorage(octokit as unknown as OctokitLike, { owner: 'olivia', repo: 'shop' });
  const ref = 'refs/autobuild/issue-9';
  expect(await storage.read(ref)).toBeUndefined();
  const first = await storage.swap(ref, undefined, {
    message: 'lease',
    entries: { state: Buffer.from('sealed'), brief: Buffer.from([0, 255]) },
  });
  const tip = await storage.read(ref);
  expect(tip).toMatchObject({ oid: first?.oid, message: 'lease' });
  expect(Buffer.from(await storage.blob(tip?.entries.state ?? '')).toString()).toBe('sealed');
  expect([...(await storage.blob(tip?.entries.brief ?? ''))]).toEqual([0, 255]);
  const change = { message: 'next', entries: { state: Buffer.from('two') } };
  expect(await storage.swap(ref, undefined, change)).toBeUndefined();
  const second = await storage.swap(ref, first?.oid, change);
  expect(await at('autobuild/issue-9')).toBe(second?.oid);
});

test('N-1: what is read along with a ref is what a call of its own tells, and a build may not ask for it', async () => {
  const olivia = actions.person('olivia');
  const number = await olivia.openIssue({ title: 'Till', body: 'It is broken' });
  await olivia.label(number, 'autobuild');
  await olivia.comment(number, 'Soon, please');
  const place = { owner: 'olivia', repo: 'shop' };
  const open = ({ job }: PlayedJob) => {
    const octokit = new Octokit({ auth: job.token, baseUrl: `http://${actions.github.host}/api/v3` });
    let calls = 0;
    const counted = new Octokit({ auth: job.token, baseUrl: `http://${actions.github.host}/api/v3` });
    counted.hook.before('request', ({ url }) => {
      if (!url.endsWith('/graphql')) calls += 1;
    });
    const reads = rememberReads(counted as unknown as OctokitLike, Date.now);
    return { reads, calls: () => calls, plain: createGitHub(octokit as unknown as OctokitLike, place) };
  };
  const { reads, calls, plain } = open(desk);
  const github = createGitHub(reads.octokit, place);
  const ref = `refs/autobuild/issue-${number}`;
  await createRefStorage(reads.octokit, place, reads.tell).read(ref);
  const before = calls();
  expect(await github.issue(number)).toEqual(await plain.issue(number));
  expect((await github.issue(number))?.comments).toBe(1);
  expect(await github.branchHead('main')).toBe(await at('heads/main'));
  expect(calls()).toBe(before);
  const facts: unknown[] = [];
  const asBuild = createRefStorage(open(build).reads.octokit, place, (...fact) => void facts.push(fact));
  expect(await asBuild.read(ref)).toBeUndefined();
  expect(facts).toEqual([]);
});

test('of many that expect the same, one wins', async () => {
  const root = await makeCommit('base', []);
  const commits = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((text) => makeCommit(text, [root])));
  const name = 'refs/autobuild/issue-4';
  await update([{ name, beforeOid: NOTHING, afterOid: root }]);
  const answers = await Promise.all(commits.map((afterOid) => update([{ name, beforeOid: root, afterOid }])));
  expect(answers.filter(({ errors }) => errors === undefined)).toHaveLength(1);
  const tries = commits.map((sha) => desk.call('PATCH', '/git/refs/autobuild/issue-4', { sha }));
  expect((await Promise.all(tries)).filter(({ status }) => status === 200)).toHaveLength(1);
});
