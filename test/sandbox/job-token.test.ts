import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../e2e-github/until.ts';
import { type LocalActions, openLocalActions, type PlayedJob } from './local-actions.ts';

const WORKFLOW = `
name: jobs
on:
  workflow_dispatch: { inputs: { why: { type: string } } }
  repository_dispatch:
  issues: { types: [opened, labeled] }
  issue_comment:
permissions: { issues: write }
jobs:
  writer:
    if: github.event_name == 'workflow_dispatch'
    permissions: { contents: write, issues: write, pull-requests: write, actions: write }
    steps: []
  reader:
    if: github.event_name == 'workflow_dispatch'
    permissions: { contents: read, pull-requests: write }
    steps: []
  other:
    if: github.event_name != 'workflow_dispatch'
    steps: []
`;
const CI = `
name: ci
on: pull_request
jobs: { test: { steps: [] } }
`;

let actions: LocalActions;
let writer: PlayedJob;
let reader: PlayedJob;
beforeAll(async () => {
  actions = await openLocalActions({ workflows: { 'jobs.yml': WORKFLOW, 'ci.yml': CI } });
  await dispatch('olivia');
  writer = await actions.job('writer');
  reader = await actions.job('reader');
});
afterAll(() => actions.github.close());

const dispatch = (login: string) =>
  actions.github.callAs(login, 'POST', '/repos/olivia/shop/actions/workflows/jobs.yml/dispatches', {
    ref: 'main',
  });
const REFUSED = { status: 403, body: { message: 'Resource not accessible by integration' } };

async function commit(by: PlayedJob, path: string) {
  const ref = (await by.call('GET', '/git/ref/heads/main')).body as { object: { sha: string } };
  const parent = ref.object.sha;
  const { body: base } = await by.call('GET', `/git/commits/${parent}`);
  const tree = await by.call('POST', '/git/trees', {
    base_tree: (base as { tree: { sha: string } }).tree.sha,
    tree: [{ path, mode: '100644', type: 'blob', content: 'text' }],
  });
  if (tree.status !== 201) return tree;
  const { sha } = tree.body as { sha: string };
  return by.call('POST', '/git/commits', { message: 'm', tree: sha, parents: [parent] });
}

test('a job may do what its permissions name, and nothing else', async () => {
  const issue = (await writer.call('POST', '/issues', { title: 'By a job' })).body as { number: number };
  expect(await writer.call('POST', `/issues/${issue.number}/comments`, { body: 'hello' })).toMatchObject({
    status: 201,
    body: {
      user: { login: 'github-actions[bot]', type: 'Bot' },
      performed_via_github_app: { id: 15_368, slug: 'github-actions' },
    },
  });
  expect(await reader.call('GET', '/git/ref/heads/main')).toMatchObject({ status: 200 });
  expect(await reader.call('GET', '')).toMatchObject({ status: 200 });
  expect(await reader.call('GET', '/collaborators/olivia/permission')).toMatchObject({ status: 200 });
  for (const [method, path, body] of [
    ['POST', `/issues/${issue.number}/comments`, { body: 'no' }],
    ['GET', `/issues/${issue.number}`],
    ['POST', '/git/refs', { ref: 'refs/heads/x', sha: writer.job.sha }],
    ['POST', '/actions/workflows/jobs.yml/dispatches', { ref: 'main' }],
    ['GET', '/commits/main/status'],
    ['GET', '/commits/main/check-runs'],
    ['GET', '/actions/secrets/KEY'],
  ] as const)
    expect(await reader.call(method, path, body), `${method} ${path}`).toMatchObject(REFUSED);
  const minimize = 'mutation($id: ID!) { minimizeComment(input: {subjectId: $id}) { clientMutationId } }';
  const other = await openOther();
  expect(await other.graphql(minimize, { id: 'x' })).toMatchObject({ data: {} });
  other.end();
});

/** A job whose permissions are those of the file. */
async function openOther(): Promise<PlayedJob> {
  const count = actions.started.filter(({ job }) => job.job === 'other').length;
  await actions.person('olivia').openIssue({ title: 'x', body: 'x' });
  return actions.job('other', count + 1);
}

test('a job that names no permissions has those of the file, and all others are taken away', async () => {
  const other = await openOther();
  expect(await other.call('GET', '/issues')).toMatchObject({ status: 200 });
  expect(await other.call('GET', '/git/ref/heads/main')).toMatchObject(REFUSED);
  other.end();
  await actions.ended(1);
  expect((await other.call('GET', '/issues')).status).toBe(401);
});

test('no permission covers workflow files', async () => {
  expect((await commit(writer, 'src/a.txt')).status).toBe(201);
  expect(await commit(writer, '.github/workflows/new.yml')).toMatchObject(REFUSED);
});

test('what a token does starts nothing, except a dispatch', async () => {
  const before = actions.github.workflows.runs.length;
  await writer.call('POST', '/issues', { title: 'Again' });
  await actions.told('issues', 'opened');
  expect(actions.github.workflows.runs).toHaveLength(before);
  const dispatched = await writer.call('POST', '/actions/workflows/jobs.yml/dispatches', { ref: 'main' });
  expect(dispatched.status).toBe(204);
  expect(actions.github.workflows.runs.at(-1)).toMatchObject({
    event: 'workflow_dispatch',
    actor: 'github-actions[bot]',
  });
  expect((await writer.call('POST', '/dispatches', { event_type: 'go' })).status).toBe(204);
  expect(actions.github.workflows.runs.at(-1)).toMatchObject({ event: 'repository_dispatch' });
  expect(actions.github.workflows.runs).toHaveLength(before + 2);
});

test('pull requests are forbidden by a setting, in GitHub’s words; those it opens wait for a person', async () => {
  const { sha } = (await commit(writer, 'src/b.txt')).body as { sha: string };
  await writer.call('POST', '/git/refs', { ref: 'refs/heads/autobuild/issue-1', sha });
  const request = { title: 'Work', head: 'autobuild/issue-1', base: 'main' };
  actions.github.allowPullRequestsByActions(false);
  expect(await writer.call('POST', '/pulls', request)).toMatchObject({
    status: 403,
    body: { message: 'GitHub Actions is not permitted to create or approve pull requests.' },
  });
  expect(
    await actions.github.callAs('olivia', 'GET', '/repos/olivia/shop/actions/permissions/workflow'),
  ).toMatchObject({ status: 200, body: { can_approve_pull_request_reviews: false } });
  actions.github.allowPullRequestsByActions(true);
  const opened = await writer.call('POST', '/pulls', request);
  expect(opened.status).toBe(201);
  await actions.told('pull_request', 'opened');
  const run = actions.github.workflows.runs.find(({ workflow }) => workflow.name === 'ci');
  expect(run).toMatchObject({ event: 'pull_request', conclusion: 'action_required', jobs: [] });
  actions.github.workflows.approve(run?.id ?? 0);
  (await actions.job('test')).end();
  // The conversation of a pull request may be written with its own permission.
  const { number } = opened.body as { number: number };
  expect((await reader.call('POST', `/issues/${number}/comments`, { body: 'hello' })).status).toBe(201);
});

test('a killed job is answered nothing any more, and its run goes on without it', async () => {
  const run = reader.job.id;
  actions.github.killJob(run, 'reader');
  await expect(reader.call('GET', '/git/ref/heads/main')).rejects.toThrow();
  writer.end();
  const row = () => actions.github.workflows.runs.find(({ id }) => id === run);
  await until('its end', () => row()?.status === 'completed');
  expect(row()?.jobs).toMatchObject([
    { job: 'writer', conclusion: 'success' },
    { job: 'reader', conclusion: 'failure' },
    { job: 'other', conclusion: 'skipped' },
  ]);
});
