import { expect, test } from 'vitest';
import { exampleItem, useGitHubApi } from './github-api.ts';

const READ = 'GET /repos/{owner}/{repo}/issues/{issue_number}';
const LIST = 'GET /repos/{owner}/{repo}/issues';
const LABEL = 'GET /repos/{owner}/{repo}/labels/{name}';
const EVENTS = 'GET /repos/{owner}/{repo}/issues/{issue_number}/events';
const ADD = 'POST /repos/{owner}/{repo}/issues/{issue_number}/labels';
const REMOVE = 'DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}';

const { on, onGraphql, sent, github } = useGitHubApi();
const at = { issue_number: 7 };

test('an issue has its labels by name', async () => {
  on(READ, {
    at,
    answer: {
      number: 7,
      node_id: 'I_7',
      title: 'Build it',
      body: null,
      state: 'closed',
      locked: true,
      labels: ['bug', { name: 'autobuild' }, {}],
      user: { login: 'bob' },
      comments: 3,
      updated_at: '2026-01-02T00:00:00Z',
      pull_request: undefined,
    },
  });
  expect(await github.issue(7)).toEqual({
    number: 7,
    node_id: 'I_7',
    title: 'Build it',
    body: '',
    state: 'closed',
    locked: true,
    labels: ['bug', 'autobuild'],
    author: 'bob',
    comments: 3,
    updated_at: '2026-01-02T00:00:00Z',
  });
});

test.each([404, 410])('an issue that is gone (%i) is undefined', async (status) => {
  on(READ, { at, status });
  expect(await github.issue(7)).toBeUndefined();
});

test('an issue that was transferred is gone here', async () => {
  on(READ, { at, answer: { number: 99 } });
  expect(await github.issue(7)).toBeUndefined();
});

test('issues with a label are the open ones, over all pages, and pull requests are told apart', async () => {
  const issue = (number: number) => exampleItem(LIST, { number, pull_request: undefined });
  const pull = exampleItem(LIST, { number: 500 });
  on(LIST, { answer: [...Array.from({ length: 99 }, (_, index) => issue(index + 1)), pull] });
  on(LIST, { answer: [issue(100)] });
  const listing = await github.issuesWithLabel('Autobuild');
  const numbers = (isPull: boolean) =>
    listing?.items.filter(({ is_pull = false }) => is_pull === isPull).map(({ number }) => number);
  expect(numbers(false)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  expect(numbers(true)).toEqual([500]);
  expect(sent[1]?.query).toEqual({
    labels: 'Autobuild',
    state: 'open',
    sort: 'updated',
    direction: 'desc',
    per_page: '100',
    page: '2',
  });
});

test('R-14: issues that have not changed are not sent; one page that changed brings them all', async () => {
  const page = (first: number) =>
    Array.from({ length: 100 }, (_, index) =>
      exampleItem(LIST, { number: first + index, pull_request: undefined }),
    );
  on(LIST, { answer: page(1), headers: { etag: '"one"' } });
  on(LIST, {
    answer: [exampleItem(LIST, { number: 500, pull_request: undefined })],
    headers: { etag: '"two"' },
  });
  const listing = await github.issuesWithLabel('autobuild');
  expect(listing?.etags).toEqual(['"one"', '"two"']);
  on(LIST, { status: 304 });
  on(LIST, { status: 304 });
  expect(await github.issuesWithLabel('autobuild', listing?.etags)).toBeUndefined();
  expect(sent.slice(2).map(({ headers }) => headers['if-none-match'])).toEqual(['"one"', '"two"']);
  on(LIST, { status: 304 });
  on(LIST, { answer: [], headers: { etag: '"none"' } });
  on(LIST, { answer: page(1), headers: { etag: '"one"' } });
  const again = await github.issuesWithLabel('autobuild', listing?.etags);
  expect(again?.items).toHaveLength(100);
  expect(again?.etags).toEqual(['"one"', '"none"']);
});

test('a label has the spelling that the repository gave it; one that is not there has none', async () => {
  on(LABEL, { at: { name: 'autobuild' }, answer: { name: 'Autobuild' }, headers: { etag: '"a"' } });
  expect(await github.labelSpelling('autobuild')).toEqual({ name: 'Autobuild', etag: '"a"' });
  on(LABEL, { at: { name: 'autobuild' }, status: 304 });
  expect(await github.labelSpelling('autobuild', '"a"')).toBe('unchanged');
  on(LABEL, { at: { name: 'autobuild' }, status: 404 });
  expect(await github.labelSpelling('autobuild')).toBeUndefined();
});

test('events tell what was done, by whom and through which App, over all pages', async () => {
  const event = (change: object) => exampleItem(EVENTS, { performed_via_github_app: null, ...change });
  const actor = { login: 'bob', type: 'User' };
  const created_at = '2026-01-02T00:00:00Z';
  const first = Array.from({ length: 100 }, (_, index) => event({ id: index + 1 }));
  on(EVENTS, { at, answer: first });
  on(EVENTS, {
    at,
    answer: [event({ id: 101, event: 'labeled', label: { name: 'autobuild' }, actor, created_at })],
  });
  const events = await github.issueEvents(7);
  expect(events).toHaveLength(101);
  expect(events[100]).toEqual({
    id: 101,
    event: 'labeled',
    actor: 'bob',
    actor_type: 'User',
    label: 'autobuild',
    created_at,
  });
  expect(sent[1]?.query).toEqual({ per_page: '100', page: '2' });
});

test('an issue that is gone has no events', async () => {
  on(EVENTS, { at, status: 410 });
  expect(await github.issueEvents(7)).toEqual([]);
});

const waiting = { name: 'autobuild:waiting' };
const toWaiting = { add: 'autobuild:waiting', remove: ['autobuild:running', 'autobuild:done'] };

test('R-14: one call adds a label and removes others, and names no label that other people set', async () => {
  const labels = ['bug', { name: 'docs', node_id: 'L_d' }, { name: 'Autobuild:Running', node_id: 'L_r' }];
  on(LABEL, { at: waiting, answer: { node_id: 'L_w' } });
  on(READ, { at, answer: { node_id: 'I_7', labels } });
  onGraphql({ data: {} });
  await github.changeLabels(7, toWaiting);
  expect(sent[2]?.body).toMatchObject({ variables: { issue: 'I_7', added: ['L_w'], removed: ['L_r'] } });
});

test('R-14: a label whose id is known from an earlier change is not looked for, unless it is another one by now', async () => {
  const labels = [{ name: 'autobuild:running', node_id: 'L_r' }];
  const ids = { 'autobuild:waiting': 'L_w' };
  on(READ, { at, answer: { node_id: 'I_7', labels } });
  onGraphql({ data: {} });
  const seen = { 'autobuild:running': 'L_r', 'autobuild:waiting': 'L_w' };
  expect(await github.changeLabels(7, { ...toWaiting, ids })).toEqual(seen);
  expect(sent[1]?.body).toMatchObject({ variables: { added: ['L_w'], removed: ['L_r'] } });

  on(READ, { at, answer: { node_id: 'I_7', labels } });
  onGraphql({ errors: [{ type: 'NOT_FOUND', message: 'Could not resolve to a node' }] });
  on(LABEL, { at: waiting, answer: { node_id: 'L_new' } });
  on(READ, { at, answer: { node_id: 'I_7', labels } });
  onGraphql({ data: {} });
  expect(await github.changeLabels(7, { ...toWaiting, ids })).toEqual({
    ...seen,
    'autobuild:waiting': 'L_new',
  });
});

test('a label that the repository does not have is made; one to remove that is not there does not matter', async () => {
  on(LABEL, { at: waiting, status: 404 });
  on(ADD, { at, status: 200, answer: [] });
  on(REMOVE, { at: { ...at, name: 'autobuild:running' }, status: 200, answer: [] });
  on(REMOVE, { at: { ...at, name: 'autobuild:done' }, status: 404 });
  await github.changeLabels(7, toWaiting);
  expect(sent.map(({ body }) => body).slice(1)).toEqual([
    { labels: ['autobuild:waiting'] },
    undefined,
    undefined,
  ]);
});
