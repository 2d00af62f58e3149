import { Octokit } from '@octokit/rest';
import { expect, test } from 'vitest';
import { createBudgets } from '../../../src/github/client/budget.ts';
import { createClient, type OctokitLike } from '../../../src/github/client/client.ts';
import { asOctokit } from '../as-octokit.ts';

const ROUTE = 'GET /repos/{owner}/{repo}/labels/{name}';
const PLACE = { owner: 'alice', repo: 'demo', appId: 1 };

/** A GitHub that answers with these headers and counts its calls. */
function answering(status: number, headers: Record<string, string>) {
  const asked = { calls: 0 };
  const request = async () => {
    asked.calls += 1;
    if (status >= 400) throw Object.assign(new Error('no'), { status, response: { headers } });
    return { status, headers, data: {} };
  };
  return { asked, octokit: { request } as unknown as OctokitLike };
}

test('R-14: after a limit an installation is not called before its time, while another is', async () => {
  let ms = 0;
  const budgets = createBudgets(() => ms);
  const limited = answering(403, { 'retry-after': '60' });
  const client = createClient(limited.octokit, { ...PLACE, budget: budgets.of(1) });
  const call = () => client.request(ROUTE, { name: 'x' });
  await expect(call()).rejects.toMatchObject({ status: 403, retryAfter: 60 });
  ms = 20_000;
  await expect(call()).rejects.toMatchObject({ status: 429, retryAfter: 40 });
  expect(limited.asked.calls).toBe(1);
  const other = answering(200, {});
  await createClient(other.octokit, { ...PLACE, budget: budgets.of(2) }).request(ROUTE, { name: 'x' });
  expect(other.asked.calls).toBe(1);
  ms = 60_000;
  await expect(call()).rejects.toMatchObject({ status: 403 });
});

test('R-14: the calls that are left are those of the last answer, and all of them after the reset', async () => {
  let ms = 0;
  const budgets = createBudgets(() => ms);
  const headers = { 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '7', 'x-ratelimit-reset': '60' };
  const client = createClient(answering(200, headers).octokit, { ...PLACE, budget: budgets.of(9) });
  expect(budgets.of(9).left('core')).toBeUndefined();
  await client.request(ROUTE, { name: 'x' });
  expect(budgets.all()).toEqual([{ installation: 9, resource: 'core', limit: 5_000, remaining: 7 }]);
  ms = 60_000;
  expect(budgets.of(9).left('core')).toEqual({ limit: 5_000, remaining: 5_000 });
});

test.each([
  ['behind', -600_000],
  ['ahead of', 600_000],
])(
  "R-14: the calls of the hour are back at GitHub's time, also with a clock ten minutes %s it",
  (_, wrong) => {
    const github = Date.parse('2026-01-01T11:59:00Z');
    let ms = github + wrong;
    const budget = createBudgets(() => ms).of(9);
    budget.note('core', {
      date: 'Thu, 01 Jan 2026 11:59:00 GMT',
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': '7',
      'x-ratelimit-reset': String(Date.parse('2026-01-01T12:00:00Z') / 1_000),
    });
    ms += 59_000;
    expect(budget.left('core')).toEqual({ limit: 5_000, remaining: 7 });
    ms += 1_000;
    expect(budget.left('core')).toEqual({ limit: 5_000, remaining: 5_000 });
  },
);

test('R-14: the calls that are left of GraphQL are known before they are used up', async () => {
  const headers = { 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '7', 'x-ratelimit-reset': '60' };
  const fetch = async () => Response.json({ data: { node: null } }, { headers });
  const budgets = createBudgets(() => 0);
  const client = createClient(new Octokit({ request: { fetch } }), { ...PLACE, budget: budgets.of(9) });
  expect(await client.graphql('query { node }', {})).toEqual({ node: null });
  expect(budgets.all()).toEqual([{ installation: 9, resource: 'graphql', limit: 5_000, remaining: 7 }]);
  headers['x-ratelimit-remaining'] = '6';
  expect(await client.graphqlEach('mutation { node }', {})).toEqual([]);
  expect(budgets.of(9).left('graphql')).toEqual({ limit: 5_000, remaining: 6 });
});

/** The same headers for REST and GraphQL, whose calls are counted together. */
function limitedOnce(headers: Record<string, string>) {
  const asked: string[] = [];
  const octokit = asOctokit(async (route) => {
    asked.push(route === 'POST /graphql' ? 'graphql' : 'rest');
    throw Object.assign(new Error('no'), { status: 403, response: { headers } });
  });
  const client = createClient(octokit, { ...PLACE, budget: createBudgets(() => 0).of(1) });
  return { asked, client };
}

test('R-14: a limit that is not of the calls of an hour stops REST and GraphQL, whichever GitHub refused', async () => {
  const { asked, client } = limitedOnce({ 'retry-after': '60', 'x-ratelimit-remaining': '4000' });
  await expect(client.graphql('query { x }', {})).rejects.toMatchObject({ retryAfter: 60 });
  await expect(client.request(ROUTE, { name: 'x' })).rejects.toMatchObject({ status: 429 });
  expect(asked).toEqual(['graphql']);
});

/** Octokit itself, with a GitHub whose GraphQL answers 200 with the refusal in the body. */
function refusingGraphql(headers: Record<string, string>, type = 'RATE_LIMITED') {
  const asked: string[] = [];
  const body = { data: null, errors: [{ type, message: 'API rate limit exceeded' }] };
  const fetch = async (url: string) => {
    const { pathname } = new URL(url);
    asked.push(pathname);
    return pathname === '/graphql' ? Response.json(body, { headers }) : Response.json({});
  };
  const budget = createBudgets(() => 0).of(1);
  const client = createClient(new Octokit({ request: { fetch } }), { ...PLACE, budget });
  return {
    asked,
    budget,
    query: () => client.graphql('query { x }', {}),
    rest: () => client.request(ROUTE, { name: 'x' }),
  };
}

test.each(['RATE_LIMITED', 'RATE_LIMIT'])(
  'R-14: when the calls of an hour are used up for GraphQL (%s), REST still works',
  async (type) => {
    const reset = String(Math.floor(Date.now() / 1_000) + 1_800);
    const headers = { 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset };
    const { asked, budget, query, rest } = refusingGraphql(headers, type);
    await expect(query()).rejects.toMatchObject({
      status: 429,
      message: expect.stringContaining('answered'),
    });
    expect(budget.left('graphql')).toEqual({ limit: 5_000, remaining: 0 });
    await expect(query()).rejects.toMatchObject({ message: expect.stringContaining('to wait') });
    await rest();
    expect(asked).toEqual(['/graphql', '/repos/alice/demo/labels/x']);
  },
);

test('R-14: a limit for a while that the body of GraphQL names stops REST too', async () => {
  const { asked, query, rest } = refusingGraphql({ 'retry-after': '60', 'x-ratelimit-remaining': '4000' });
  await expect(query()).rejects.toMatchObject({ retryAfter: 60 });
  await expect(rest()).rejects.toMatchObject({ status: 429 });
  expect(asked).toEqual(['/graphql']);
});

test('R-14: when the calls of an hour are used up for REST, GraphQL still works', async () => {
  const reset = String(Math.floor(Date.now() / 1_000) + 1_800);
  const { asked, client } = limitedOnce({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset });
  await expect(client.request(ROUTE, { name: 'x' })).rejects.toMatchObject({ status: 403 });
  await expect(client.request(ROUTE, { name: 'x' })).rejects.toMatchObject({ status: 429 });
  await expect(client.graphql('query { x }', {})).rejects.toMatchObject({ status: 403 });
  expect(asked).toEqual(['rest', 'graphql']);
});
