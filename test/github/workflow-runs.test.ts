import { expect, test } from 'vitest';
import { exampleItem, useGitHubApi } from './github-api.ts';

const READ = 'GET /repos/{owner}/{repo}/actions/runs/{run_id}';
const LIST = 'GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs';
const JOBS = 'GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs';
const MESSAGES = 'GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations';
const CANCEL = 'POST /repos/{owner}/{repo}/actions/runs/{run_id}/cancel';

const { on, sent, github } = useGitHubApi();
const at = { run_id: 77, workflow_id: 'autobuild.yml' };

test('a run is named by its run-name', async () => {
  on(READ, {
    at,
    answer: {
      id: 77,
      status: 'completed',
      conclusion: 'failure',
      run_attempt: 2,
      name: 'Autobuild',
      head_sha: '0a1b2c3d',
      display_title: 'issue-7 op-1',
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T01:00:00Z',
      html_url: 'https://github.com/alice/demo/actions/runs/77',
    },
  });
  expect(await github.workflowRun(77)).toEqual({
    id: 77,
    commit: '0a1b2c3d',
    status: 'completed',
    conclusion: 'failure',
    attempt: 2,
    name: 'issue-7 op-1',
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T01:00:00Z',
    url: 'https://github.com/alice/demo/actions/runs/77',
  });
});

test('a run that is not there is undefined', async () => {
  on(READ, { at, status: 404 });
  expect(await github.workflowRun(77)).toBeUndefined();
});

test('runs are read over all pages', async () => {
  const run = (id: number) => exampleItem(LIST, { id }, 'workflow_runs');
  const first = Array.from({ length: 100 }, (_, index) => run(index + 1));
  on(LIST, { at, answer: { total_count: 101, workflow_runs: first } });
  on(LIST, { at, answer: { total_count: 101, workflow_runs: [run(101)] } });
  const runs = await github.workflowRuns('autobuild.yml', '2026-01-01T00:00:00Z');
  expect(runs.map(({ id }) => id)).toEqual(Array.from({ length: 101 }, (_, index) => index + 1));
  expect(sent[1]?.query).toEqual({ created: '>=2026-01-01T00:00:00Z', per_page: '100', page: '2' });
});

test('cancelling a run that has ended or is gone does nothing', async () => {
  on(CANCEL, { at, status: 202 });
  on(CANCEL, { at, status: 409, answer: { message: 'Cannot cancel a workflow run that is completed.' } });
  on(CANCEL, { at, status: 404 });
  for (let time = 0; time < 3; time += 1) await github.cancelRun(77);
  expect(sent).toHaveLength(3);
});

test('a cancel that failed throws', async () => {
  on(CANCEL, { at, status: 500, answer: { message: 'Failed to cancel workflow run' } });
  await expect(github.cancelRun(77)).rejects.toMatchObject({ status: 500 });
});

test('R-13: jobs of one attempt have the times of their machines, and none if they had no machine', async () => {
  const job = (change: object) =>
    exampleItem(JOBS, { conclusion: 'cancelled', run_attempt: 2, ...change }, 'jobs');
  const times = {
    created_at: '2026-01-01T00:00:00Z',
    started_at: '2026-01-01T00:00:00Z',
    completed_at: '2026-01-01T05:50:00Z',
  };
  const jobs = [job({ ...times, run_attempt: 1 }), job(times), job({ ...times, steps: [] })];
  on(JOBS, { at, answer: { total_count: 3, jobs } });
  const ended = { conclusion: 'cancelled', ended_at: times.completed_at };
  expect(await github.workflowJobs(77, 2)).toEqual([
    { id: expect.any(Number), ...ended, began_at: times.started_at },
    { id: expect.any(Number), ...ended, began_at: undefined },
  ]);
  expect(sent[0]?.query).toEqual({ filter: 'all', per_page: '100', page: '1' });
  on(JOBS, { at, status: 404 });
  expect(await github.workflowJobs(77, 1)).toEqual([]);
});

test('R-13: what GitHub says of a job is on the check run of the same id; empty where that may not be read', async () => {
  const on399 = { at: { check_run_id: 399 } };
  const over = 'The job has exceeded the maximum execution time of 30m0s';
  on(MESSAGES, { ...on399, answer: [exampleItem(MESSAGES, { message: over })] });
  expect(await github.jobMessages(399)).toEqual([over]);
  on(MESSAGES, { ...on399, status: 403, answer: { message: 'Resource not accessible by integration' } });
  expect(await github.jobMessages(399)).toEqual([]);
  on(MESSAGES, { ...on399, status: 500, answer: { message: 'Server Error' } });
  await expect(github.jobMessages(399)).rejects.toMatchObject({ status: 500 });
});
