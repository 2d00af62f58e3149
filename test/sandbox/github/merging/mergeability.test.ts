import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LocalGitHub, startLocalGitHub } from '../../../../src/sandbox/github.ts';
import { until } from '../../../e2e-github/until.ts';
import { checkPayload } from '../../../fixtures/webhooks.ts';
import { checkResponse } from '../../../github/openapi-contract.ts';

const SHOP = '/repos/olivia/shop';
let local: LocalGitHub;

beforeAll(async () => {
  const startJob = () => {
    throw new Error('There is no job here.');
  };
  local = await startLocalGitHub({ owner: 'olivia', name: 'shop', people: {}, startJob });
});
afterAll(() => local.close());

async function ask<Body>(method: string, path: string, body?: unknown): Promise<Body> {
  const answer = await local.callAs('olivia', method, `${SHOP}${path}`, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body as Body;
}

/** One file as a commit on a branch, which is made if it is not there. */
async function put(branch: string, path: string, text: string, from = 'main'): Promise<void> {
  const tip = await ask<{ object: { sha: string } }>('GET', `/git/ref/heads/${from}`);
  if (branch !== 'main' && from === 'main')
    await ask('POST', '/git/refs', { ref: `refs/heads/${branch}`, sha: tip.object.sha });
  const there = await local.callAs('olivia', 'GET', `${SHOP}/contents/${path}?ref=${branch}`);
  const { sha } = (there.status === 200 ? there.body : {}) as { sha?: string };
  const content = Buffer.from(text).toString('base64');
  await ask('PUT', `/contents/${path}`, { message: `Change ${path}`, content, branch, sha });
}

const open = async (head: string) =>
  (await ask<{ number: number }>('POST', '/pulls', { title: head, head, base: 'main' })).number;

interface Pull {
  mergeable: boolean | null;
  mergeable_state: string;
}

async function read(number: number): Promise<Pull> {
  const pull = await ask<Pull>('GET', `/pulls/${number}`);
  expect(checkResponse('GET', `${SHOP}/pulls/${number}`, 200, pull)).toEqual([]);
  return pull;
}

const LINES = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';

test('V-6: the local GitHub computes by git whether a pull request conflicts, after it was asked for it', async () => {
  await put('main', 'a.txt', LINES);
  await put('feature', 'a.txt', LINES.replace('seven', 'SEVEN'));
  const number = await open('feature');
  expect(await read(number)).toMatchObject({ mergeable: null, mergeable_state: 'unknown' });
  expect(await read(number)).toMatchObject({ mergeable: true, mergeable_state: 'clean' });
  // Another line of the same file: git joins them.
  await put('main', 'a.txt', LINES.replace('one', 'ONE'));
  expect(await read(number)).toMatchObject({ mergeable: null });
  expect(await read(number)).toMatchObject({ mergeable: true });
  await put('main', 'a.txt', LINES.replace('seven', 'sept'));
  expect(await read(number)).toMatchObject({ mergeable: null });
  expect(await read(number)).toMatchObject({ mergeable: false, mergeable_state: 'dirty' });
});

test('V-6: a push to the base is told as GitHub describes it', async () => {
  await put('main', 'b.txt', 'b\n');
  const push = await until('the push', () =>
    local.webhooks.deliveries.findLast(
      ({ event, payload }) => event === 'push' && JSON.stringify(payload).includes('Change b.txt'),
    ),
  );
  expect(push.payload).toMatchObject({
    ref: 'refs/heads/main',
    repository: { default_branch: 'main' },
    head_commit: { message: 'Change b.txt' },
    pusher: { name: 'olivia' },
  });
  expect(checkPayload('push', push.payload)).toEqual([]);
});

test('V-6: a merge commit made by the git database has both parents, and joins both sides', async () => {
  const tip = async (branch: string) =>
    (await ask<{ object: { sha: string } }>('GET', `/git/ref/heads/${branch}`)).object.sha;
  const [head, base] = [await tip('feature'), await tip('main')];
  const { tree } = await ask<{ tree: { sha: string } }>('GET', `/git/commits/${base}`);
  const file = { path: 'a.txt', mode: '100644', type: 'blob', content: LINES };
  const joined = await ask<{ sha: string }>('POST', '/git/trees', { base_tree: tree.sha, tree: [file] });
  const commit = { message: 'Merge main', tree: joined.sha, parents: [head, base] };
  const made = await ask<{ sha: string; parents: { sha: string }[] }>('POST', '/git/commits', commit);
  expect(made.parents.map(({ sha }) => sha)).toEqual([head, base]);
  await ask('PATCH', '/git/refs/heads/feature', { sha: made.sha });
  const [{ number } = { number: 0 }] = await ask<{ number: number }[]>('GET', '/pulls');
  await read(number);
  expect(await read(number)).toMatchObject({ mergeable: true });
});

test('V-6: rules of a branch are answered as GitHub describes them', async () => {
  expect(await ask('GET', '/rules/branches/feature')).toEqual([]);
  local.requireLinearHistory(true);
  const rules = await ask('GET', '/rules/branches/feature');
  expect(rules).toMatchObject([{ type: 'required_linear_history' }]);
  expect(checkResponse('GET', `${SHOP}/rules/branches/feature`, 200, rules)).toEqual([]);
});
