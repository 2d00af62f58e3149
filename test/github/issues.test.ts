import { expect, test } from 'vitest';
import { exampleItem, useGitHubApi } from './github-api.ts';

const READ = 'GET /repos/{owner}/{repo}/issues/{issue_number}';
const LIST = 'GET /repos/{owner}/{repo}/issues';
const LABEL = 'GET /repos/{owner}/{repo}/labels/{name}';
const EVENTS = 'GET /repos/{owner}/{repo}/issues/{issue_number}/events';
const ADD = 'POST /repos/{owner}/{repo}/issues/{issue_number}/labels';
const REMOVE = 'DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}';

const { on, sent, github } = useGitHubApi();
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

test('issues with a label are the open ones, without pull requests, over all pages', async () => {
  const issue = (number: number) => exampleItem(LIST, { number, pull_request: undefined });
  const pull = exampleItem(LIST, { number: 500 });
  on(LABEL, { at: { name: 'autobuild' }, answer: { name: 'Autobuild' } });
  on(LIST, { answer: [...Array.from({ length: 99 }, (_, index) => issue(index + 1)), pull] });
  on(LIST, { answer: [issue(100)] });
  const issues = await github.issuesWithLabel('autobuild');
  expect(issues.map(({ number }) => number)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  expect(sent[2]?.query).toEqual({ labels: 'Autobuild', state: 'open', per_page: '100', page: '2' });
});

test('a label that nobody has made yet is on no issue', async () => {
  on(LABEL, { at: { name: 'autobuild' }, status: 404 });
  expect(await github.issuesWithLabel('autobuild')).toEqual([]);
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

test('labels are added and removed; one that is not there does not matter', async () => {
  on(ADD, { at, status: 200, answer: [] });
  on(REMOVE, { at: { ...at, name: 'autobuild:running' }, status: 200, answer: [] });
  on(REMOVE, { at: { ...at, name: 'autobuild:running' }, status: 404 });
  await github.addLabels(7, ['autobuild:running']);
  await github.addLabels(7, []);
  await github.removeLabel(7, 'autobuild:running');
  await github.removeLabel(7, 'autobuild:running');
  expect(sent.map(({ body }) => body)).toEqual([{ labels: ['autobuild:running'] }, undefined, undefined]);
});
