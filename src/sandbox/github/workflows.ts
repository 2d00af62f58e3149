import { parse } from 'yaml';
import {
  type Answer,
  describeAccount,
  type Gap,
  type Json,
  matchPath,
  refuse,
  type Upstream,
} from './gap.ts';
import { fillIn, readWorkflow, type WorkflowFile } from './workflow-file.ts';

export interface DispatchedRun {
  id: number;
  attempt: number;
  workflow: WorkflowFile;
  /** The default branch's newest commit, which has the workflow file. */
  sha: string;
  branch: string;
  actor: string;
  inputs: Record<string, string>;
}

export type Conclusion = 'success' | 'failure' | 'cancelled';

/** A runner that works on one dispatch. */
export interface RunningJob {
  ended: Promise<Conclusion>;
  cancel(): void;
}

interface Row extends DispatchedRun {
  name: string;
  group: string;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: Conclusion | null;
  created_at: string;
  updated_at: string;
  job?: RunningJob;
  /** Resolves when the end was sent to everybody. */
  announced?: Promise<void>;
}

export interface WorkflowGap extends Gap {
  readonly runs: readonly Readonly<Row>[];
  disable(): void;
  /** Cancels every running job and waits for it. */
  close(): Promise<void>;
}

interface WorkflowOptions {
  upstream: Upstream;
  /** `/repos/owner/name` */
  repository: string;
  htmlUrl: string;
  apiUrl: string;
  start(run: DispatchedRun): RunningJob;
  emit(event: string, payload: Json): void;
  installation: Json;
}

const FIRST_RUN = 7_000_001;
const FILE = /^[\w.-]+\.ya?ml$/;

/**
 * emulate has no workflows and no way to create one. Here a file on the default branch is a workflow, and a dispatch
 * starts a job.
 */
export function createWorkflows(options: WorkflowOptions): WorkflowGap {
  const { upstream, repository, start, emit } = options;
  const rows: Row[] = [];
  let disabled = false;
  let closing = false;

  async function find(
    file: string,
  ): Promise<{ workflow: WorkflowFile; sha: string; branch: string } | undefined> {
    if (!FILE.test(file)) return undefined;
    const { body: home } = await upstream('GET', repository);
    const branch = String((home as Json).default_branch);
    const head = await upstream('GET', `${repository}/git/ref/heads/${branch}`);
    const read = await upstream('GET', `${repository}/contents/.github/workflows/${file}?ref=${branch}`);
    if (read.status !== 200 || head.status !== 200) return undefined;
    const text = Buffer.from(String((read.body as Json).content), 'base64').toString('utf8');
    const workflow = readWorkflow(file, parse(text));
    return { workflow, branch, sha: (head.body as { object: { sha: string } }).object.sha };
  }

  async function dispatch(file: string, body: Json, actor: string): Promise<Answer> {
    const found = disabled ? undefined : await find(file);
    if (!found) return refuse(404, 'Not Found');
    if (body.ref !== found.branch) return refuse(422, `No ref found for: ${body.ref}`);
    const inputs = Object.fromEntries(
      Object.entries((body.inputs ?? {}) as Json).map(([key, value]) => [key, String(value)]),
    );
    const wrong = checkInputs(found.workflow, inputs);
    if (wrong) return refuse(422, wrong);
    const at = new Date().toISOString();
    const row: Row = {
      ...found,
      id: FIRST_RUN + rows.length,
      attempt: 1,
      actor,
      inputs,
      name: fillIn(found.workflow.runName, { inputs }),
      group: fillIn(found.workflow.group ?? `run ${rows.length}`, { inputs }),
      status: 'queued',
      conclusion: null,
      created_at: at,
      updated_at: at,
    };
    // A queued run is replaced by a newer one of its group.
    const waiting = rows.find((other) => other.group === row.group && other.status === 'queued');
    if (waiting) await finish(waiting, 'cancelled');
    rows.push(row);
    await emitRun('requested', row);
    startNext(row.group);
    if (body.return_run_details !== true) return { status: 204 };
    return {
      status: 200,
      body: {
        workflow_run_id: row.id,
        run_url: `${options.apiUrl}/actions/runs/${row.id}`,
        html_url: htmlUrl(row),
      },
    };
  }

  function startNext(group: string): void {
    const busy = rows.some((row) => row.group === group && row.status === 'in_progress');
    const row = rows.find((candidate) => candidate.group === group && candidate.status === 'queued');
    if (busy || !row || closing) return;
    row.status = 'in_progress';
    row.job = start(row);
    row.announced = row.job.ended.then(async (conclusion) => {
      await finish(row, conclusion);
      startNext(group);
    });
  }

  async function finish(row: Row, conclusion: Conclusion): Promise<void> {
    Object.assign(row, { status: 'completed', conclusion, updated_at: new Date().toISOString() });
    await emitRun('completed', row);
  }

  async function emitRun(action: 'requested' | 'completed', row: Row): Promise<void> {
    const { body: home } = await upstream('GET', repository);
    const sender = (await describeAccount(upstream, row.actor)) ?? {};
    const workflow_run = describeRun(row, home as Json, sender);
    const workflow = describeWorkflow(row.workflow);
    emit('workflow_run', {
      action,
      workflow_run,
      workflow,
      repository: home,
      sender,
      installation: options.installation,
    });
  }

  const htmlUrl = (row: Row) => `${options.htmlUrl}/actions/runs/${row.id}`;

  function describeWorkflow({ file, name }: WorkflowFile): Json {
    return {
      id: 1,
      node_id: 'W_1',
      name,
      path: `.github/workflows/${file}`,
      state: disabled ? 'disabled_manually' : 'active',
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
      url: `${options.apiUrl}/actions/workflows/1`,
      html_url: `${options.htmlUrl}/blob/main/.github/workflows/${file}`,
      badge_url: `${options.htmlUrl}/workflows/${name}/badge.svg`,
    };
  }

  function describeRun(row: Row, home: Json, actor: Json): Json {
    const url = `${options.apiUrl}/actions/runs/${row.id}`;
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
      event: 'workflow_dispatch',
      status: row.status,
      conclusion: row.conclusion,
      run_number: row.id - FIRST_RUN + 1,
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
      check_suite_url: `${options.apiUrl}/check-suites/${row.id}`,
      workflow_id: 1,
      workflow_url: `${options.apiUrl}/actions/workflows/1`,
      previous_attempt_url: null,
      pull_requests: [],
      referenced_workflows: [],
      url,
      html_url: htmlUrl(row),
      ...Object.fromEntries(links),
    };
  }

  async function show(row: Row): Promise<Json> {
    const { body: home } = await upstream('GET', repository);
    return describeRun(row, home as Json, (await describeAccount(upstream, row.actor)) ?? {});
  }

  return {
    runs: rows,
    disable() {
      disabled = true;
    },
    async close() {
      closing = true;
      for (const row of rows) row.job?.cancel();
      await Promise.all(rows.map((row) => row.announced));
    },
    async answer({ method, path, body, caller, query }) {
      const base = '/repos/:owner/:repo/actions';
      const workflow = matchPath(`${base}/workflows/:file`, path);
      if (workflow && method === 'GET') {
        const found = disabled ? undefined : await find(workflow.file ?? '');
        return found ? { status: 200, body: describeWorkflow(found.workflow) } : refuse(404, 'Not Found');
      }
      const dispatched = matchPath(`${base}/workflows/:file/dispatches`, path);
      if (dispatched && method === 'POST')
        return dispatch(dispatched.file ?? '', body, caller.kind === 'app' ? 'ghost' : caller.login);
      if (matchPath(`${base}/workflows/:file/runs`, path) && method === 'GET') {
        const since = query.get('created')?.replace(/^>=/, '') ?? '';
        const listed = rows.filter((row) => row.created_at >= since).toReversed();
        return {
          status: 200,
          body: { total_count: listed.length, workflow_runs: await Promise.all(listed.map(show)) },
        };
      }
      const one = matchPath(`${base}/runs/:id`, path) ?? matchPath(`${base}/runs/:id/cancel`, path);
      const row = rows.find(({ id }) => String(id) === one?.id);
      if (!one) return undefined;
      if (!row) return refuse(404, 'Not Found');
      if (method === 'GET') return { status: 200, body: await show(row) };
      if (row.status === 'completed') return refuse(409, 'Cannot cancel a workflow run that is completed.');
      if (row.job) row.job.cancel();
      else await finish(row, 'cancelled');
      return { status: 202, body: {} };
    },
  };
}

function checkInputs({ inputs: declared }: WorkflowFile, given: Record<string, string>): string | undefined {
  const unknown = Object.keys(given).filter((name) => !(name in declared));
  if (unknown.length > 0) return `Unexpected inputs provided: ${JSON.stringify(unknown)}`;
  for (const [name, { required, options }] of Object.entries(declared)) {
    const value = given[name];
    if (required && !value) return `Required input '${name}' not provided`;
    if (value !== undefined && options && !options.includes(value))
      return `Provided value '${value}' for input '${name}' not in the list of allowed values`;
  }
  return undefined;
}
