import { expect, test } from 'vitest';
import { useGitHubApi } from '../github-api.ts';

const JOB = 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}';
const LOGS = `${JOB}/logs`;
const head = 'a'.repeat(40);

const { on, onGraphql, sent, github } = useGitHubApi();

const run = (databaseId: number, name: string, conclusion: string | null) => ({
  ...{ databaseId, name, conclusion, status: conclusion ? 'COMPLETED' : 'IN_PROGRESS' },
  ...{ permalink: 'https://github.com/x', completedAt: '2026-11-16T09:00:00Z' },
  annotations: {
    nodes: [
      { message: 'no semicolon', path: 'a.ts', annotationLevel: 'FAILURE' },
      { message: 'old Node', path: '.github', annotationLevel: 'WARNING' },
    ],
  },
});

function onPull(suites: object[], commit = head): void {
  const checkSuites = { nodes: suites };
  const commits = { nodes: [{ commit: { oid: commit, message: 'Add it', checkSuites } }] };
  const pullRequest = { state: 'OPEN', headRefOid: head, baseRefName: 'main', mergeable: 'UNKNOWN', commits };
  onGraphql({ data: { repository: { pullRequest } } });
}

const actions = { databaseId: 15_368, slug: 'github-actions', name: 'GitHub Actions' };
const workflowRun = {
  url: 'https://github.com/w',
  workflow: { name: 'CI' },
  file: { path: '.github/workflows/ci.yml' },
};

test('V-7: suites with all attempts of their checks, ours marked, and statuses', async () => {
  onPull([
    {
      status: 'COMPLETED',
      conclusion: 'FAILURE',
      app: actions,
      workflowRun,
      checkRuns: { nodes: [run(7, 'e2e', 'TIMED_OUT')] },
    },
    {
      status: 'COMPLETED',
      conclusion: 'ACTION_REQUIRED',
      app: actions,
      workflowRun,
      checkRuns: { nodes: [] },
    },
    {
      status: 'QUEUED',
      conclusion: null,
      app: { ...actions, databaseId: 4242 },
      workflowRun: null,
      checkRuns: null,
    },
  ]);
  const status = {
    context: 'ci/x',
    state: 'PENDING',
    targetUrl: null,
    description: null,
    createdAt: '2026-11-16T09:00:00Z',
  };
  onGraphql({ data: { repository: { object: { status: { contexts: [status] } } } } });
  const ci = await github.pullCi(7);
  expect(ci).toMatchObject({
    is_open: true,
    head,
    base: 'main',
    statuses: [{ name: 'ci/x', result: 'running' }],
  });
  expect(ci?.suites).toMatchObject([
    {
      ...{ result: 'failed', is_own: false, name: 'CI', workflow: '.github/workflows/ci.yml' },
      runs: [{ id: 7, name: 'e2e', result: 'failed', notes: ['a.ts: no semicolon'] }],
    },
    { result: 'approval', runs: [] },
    { result: 'running', is_own: true, runs: [] },
  ]);
});

test('V-7: without the permission for statuses the checks are there, and any other refusal is one', async () => {
  onPull([]);
  onGraphql({ errors: [{ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }] });
  const ci = await github.pullCi(7);
  expect(ci).toMatchObject({ head, suites: [] });
  expect(ci?.statuses).toBeUndefined();
  onPull([]);
  onGraphql({ errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }] });
  await expect(github.pullCi(7)).rejects.toMatchObject({ status: 429 });
});

test('V-7: a list of commits that is older than the head says nothing', async () => {
  onPull([], 'b'.repeat(40));
  expect(await github.pullCi(7)).toBeUndefined();
});

test('V-7: past results are those of the check alone, without our own workflow', async () => {
  const own = { ...workflowRun, file: { path: '.github/workflows/autobuild.yml' } };
  const node = (oid: string, conclusion: string, by = workflowRun) => ({
    oid,
    checkSuites: {
      nodes: [{ app: actions, workflowRun: by, checkRuns: { nodes: [run(1, 'e2e', conclusion)] } }],
    },
  });
  const nodes = [
    node('c1', 'FAILURE'),
    node('c2', 'FAILURE', own),
    node('c3', 'CANCELLED'),
    node('c4', 'SUCCESS'),
  ];
  onGraphql({ data: { repository: { ref: { target: { history: { nodes } } } } } });
  const past = await github.pastResults('main', { name: 'e2e', without: own.file.path });
  expect(past.map(({ sha, result }) => [sha, result])).toEqual([
    ['c1', 'failed'],
    ['c4', 'passed'],
  ]);
  expect(sent[0]?.body.variables).toMatchObject({ branch: 'refs/heads/main', name: 'e2e' });
});

test('V-7: the step that failed; a log that is not there yet is none', async () => {
  const steps = [
    { name: 'Set up job', status: 'completed', conclusion: 'success', number: 1 },
    { name: 'Run tests', status: 'completed', conclusion: 'failure', number: 2 },
  ];
  on(JOB, { at: { job_id: 42 }, answer: { steps, created_at: '2026-11-16T09:00:00Z' } });
  on(LOGS, { at: { job_id: 42 }, status: 404 });
  expect(await github.failedJob(42)).toEqual({ step: 'Run tests', log: undefined });
  on(JOB, { at: { job_id: 43 }, status: 404 });
  expect(await github.failedJob(43)).toBeUndefined();
});
