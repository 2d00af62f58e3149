import type { WorkflowFile } from '../actions/workflow-file.ts';
import type { RunRow } from '../actions/workflow-runs.ts';
import type { Json } from './gap.ts';

interface Urls {
  htmlUrl: string;
  apiUrl: string;
}

export const runUrl = ({ htmlUrl }: Urls, { id }: { id: number }) => `${htmlUrl}/actions/runs/${id}`;

export function describeWorkflow({ file, name }: WorkflowFile, { htmlUrl, apiUrl }: Urls): Json {
  return {
    id: 1,
    node_id: 'W_1',
    name,
    path: `.github/workflows/${file}`,
    state: 'active',
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    url: `${apiUrl}/actions/workflows/1`,
    html_url: `${htmlUrl}/blob/main/.github/workflows/${file}`,
    badge_url: `${htmlUrl}/workflows/${name}/badge.svg`,
  };
}

export function describeRun(row: RunRow, home: Json, actor: Json, urls: Urls): Json {
  const { apiUrl } = urls;
  const url = `${apiUrl}/actions/runs/${row.id}`;
  const links = ['jobs', 'logs', 'artifacts', 'cancel', 'rerun'].map((name) => [
    `${name}_url`,
    `${url}/${name}`,
  ]);
  return {
    id: row.id,
    node_id: `WFR_${row.id}`,
    name: row.workflow.name,
    display_title: row.name,
    path: `.github/workflows/${row.workflow.file}`,
    event: row.event,
    status: row.status,
    conclusion: row.conclusion,
    run_number: row.number,
    run_attempt: row.attempt,
    run_started_at: row.created_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
    head_branch: row.branch,
    head_sha: row.sha,
    head_commit: {
      id: row.sha,
      tree_id: row.sha,
      message: '',
      timestamp: row.created_at,
      author: { name: 'sandbox', email: 'sandbox@example.com' },
      committer: { name: 'sandbox', email: 'sandbox@example.com' },
    },
    head_repository: home,
    repository: home,
    actor,
    triggering_actor: actor,
    check_suite_id: row.id,
    check_suite_node_id: `CS_${row.id}`,
    check_suite_url: `${apiUrl}/check-suites/${row.id}`,
    workflow_id: 1,
    workflow_url: `${apiUrl}/actions/workflows/1`,
    previous_attempt_url: row.attempt > 1 ? `${url}/attempts/${row.attempt - 1}` : null,
    pull_requests: [],
    referenced_workflows: [],
    url,
    html_url: runUrl(urls, row),
    ...Object.fromEntries(links),
  };
}

/** The step that every job begins with. Those of its file are not told. */
function describeSetUp({ started_at }: RunRow['jobs'][number]): Json {
  const at = { started_at, completed_at: started_at };
  return { name: 'Set up job', status: 'completed', conclusion: 'success', number: 1, ...at };
}

export function describeJobs(run: RunRow, urls: Urls): Json {
  const jobs = run.jobs.map((row, index) => {
    const id = run.id * 100 + index;
    return {
      id,
      run_id: run.id,
      run_url: `${urls.apiUrl}/actions/runs/${run.id}`,
      run_attempt: run.attempt,
      node_id: `CR_${id}`,
      head_sha: run.sha,
      head_branch: run.branch,
      workflow_name: run.workflow.name,
      url: `${urls.apiUrl}/actions/jobs/${id}`,
      html_url: `${runUrl(urls, run)}/job/${id}`,
      status: row.status,
      conclusion: row.conclusion,
      created_at: row.started_at,
      started_at: row.started_at,
      completed_at: row.completed_at,
      name: row.name,
      steps: row.hasMachine ? [describeSetUp(row)] : [],
      check_run_url: `${urls.apiUrl}/check-runs/${id}`,
      labels: ['ubuntu-latest'],
      runner_id: null,
      runner_name: null,
      runner_group_id: null,
      runner_group_name: null,
    };
  });
  return { total_count: jobs.length, jobs };
}
