import type { RunningJob, StartedJob } from '../actions/job.ts';
import type { TokenPermissions } from '../actions/token-permissions.ts';
import { checkInputs } from '../actions/workflow-inputs.ts';
import { createWorkflowRuns, type RunRow, type WorkflowRuns } from '../actions/workflow-runs.ts';
import type { WorkflowSource } from '../actions/workflow-source.ts';
import { describeJobs, describeRun, describeWorkflow, runUrl } from './describe-workflow-run.ts';
import {
  type Answer,
  type Call,
  describeAccount,
  type Gap,
  type Json,
  matchPath,
  refuse,
  type Upstream,
} from './gap.ts';

export interface WorkflowGap
  extends Gap,
    Pick<WorkflowRuns, 'receive' | 'settled' | 'route' | 'fireSchedules' | 'approve' | 'rerun' | 'close'> {
  readonly runs: readonly Readonly<RunRow>[];
  /** Files and events that could not be read, and why. */
  readonly problems: readonly string[];
  disable(): void;
}

interface WorkflowOptions {
  upstream: Upstream;
  source: WorkflowSource;
  owner: string;
  name: string;
  url: string;
  htmlUrl: string;
  apiUrl: string;
  secrets(): Record<string, string>;
  start(job: Omit<StartedJob, 'token'>, permissions: TokenPermissions): RunningJob;
  emit(event: string, payload: Json): void;
  installation: Json;
}

/**
 * emulate has no workflows and no way to create one. Here a file on the default branch is a workflow, and a dispatch or
 * an event starts its jobs.
 */
export function createWorkflows(options: WorkflowOptions): WorkflowGap {
  const { upstream, source, emit } = options;
  const repository = `/repos/${options.owner}/${options.name}`;
  let disabled = false;
  const home = async () => (await upstream('GET', repository)).body as Json;
  const account = async (login: string) => (await describeAccount(upstream, login)) ?? { login };
  const show = async (row: RunRow) => describeRun(row, await home(), await account(row.actor), options);
  const runs = createWorkflowRuns({
    ...options,
    async tell(action, row) {
      emit('workflow_run', {
        action,
        workflow_run: await show(row),
        workflow: describeWorkflow(row.workflow, options),
        repository: await home(),
        sender: await account(row.actor),
        installation: options.installation,
      });
    },
  });

  async function dispatch(file: string, body: Json, actor: string): Promise<Answer> {
    const found = disabled ? undefined : await source.find(file);
    if (!found) return refuse(404, 'Not Found');
    const { workflow, branch } = found;
    const trigger = workflow.on.workflow_dispatch;
    if (!trigger) return refuse(422, "Workflow does not have 'workflow_dispatch' trigger");
    if (String(body.ref).replace(/^refs\/heads\//, '') !== branch)
      return refuse(422, `No ref found for: ${body.ref}`);
    const inputs = Object.fromEntries(
      Object.entries((body.inputs ?? {}) as Json).map(([key, value]) => [key, String(value)]),
    );
    const wrong = checkInputs(trigger.inputs, inputs);
    if (wrong) return refuse(422, wrong);
    const payload = {
      inputs,
      ref: `refs/heads/${branch}`,
      repository: await home(),
      sender: await account(actor),
      workflow: `.github/workflows/${file}`,
    };
    const event = { name: 'workflow_dispatch', payload, fileFrom: 'default branch' } as const;
    const row = await runs.begin(workflow, found, event, inputs);
    if (body.return_run_details !== true) return { status: 204 };
    return {
      status: 200,
      body: {
        workflow_run_id: row.id,
        run_url: `${options.apiUrl}/actions/runs/${row.id}`,
        html_url: runUrl(options, row),
      },
    };
  }

  async function answerRun(row: RunRow, { method, path }: Call): Promise<Answer> {
    const what = path.split('/').at(-1) ?? '';
    if (method === 'GET')
      return { status: 200, body: what === 'jobs' ? describeJobs(row, options) : await show(row) };
    if (what === 'rerun')
      return runs.rerun(row.id)
        ? { status: 201, body: {} }
        : refuse(403, 'The workflow run is already running');
    if (row.status === 'completed') return refuse(409, 'Cannot cancel a workflow run that is completed.');
    const isWaiting = row.status === 'queued';
    row.cancelling.abort();
    if (isWaiting) await row.announced;
    return { status: 202, body: {} };
  }

  async function dispatchToAll(
    { event_type: action, client_payload = {} }: Json,
    actor: string,
  ): Promise<Answer> {
    const repositoryAndSender = { repository: await home(), sender: await account(actor) };
    await runs.receive('repository_dispatch', { action, client_payload, ...repositoryAndSender });
    return { status: 204 };
  }

  async function list(file: string | undefined, since: string): Promise<Answer> {
    const listed = runs.rows
      .filter((row) => row.created_at >= since && row.workflow.file === file)
      .toReversed();
    return {
      status: 200,
      body: { total_count: listed.length, workflow_runs: await Promise.all(listed.map(show)) },
    };
  }

  return {
    ...runs,
    fireSchedules: async () => runs.fireSchedules({ repository: await home() }),
    runs: runs.rows,
    get problems() {
      return [...source.problems, ...runs.problems];
    },
    disable() {
      disabled = true;
    },
    async receive(webhook, payload) {
      if (!disabled) await runs.receive(webhook, payload);
    },
    async answer(call) {
      const { method, path, body, caller, query } = call;
      const base = '/repos/:owner/:repo/actions';
      const workflow = matchPath(`${base}/workflows/:file`, path);
      if (workflow && method === 'GET') {
        const found = disabled ? undefined : await source.find(workflow.file ?? '');
        return found
          ? { status: 200, body: describeWorkflow(found.workflow, options) }
          : refuse(404, 'Not Found');
      }
      const actor = caller.kind === 'app' ? 'ghost' : caller.login;
      const dispatched = matchPath(`${base}/workflows/:file/dispatches`, path);
      if (dispatched && method === 'POST') return dispatch(dispatched.file ?? '', body, actor);
      if (matchPath('/repos/:owner/:repo/dispatches', path) && method === 'POST')
        return dispatchToAll(body, actor);
      const runsOf = matchPath(`${base}/workflows/:file/runs`, path);
      if (runsOf && method === 'GET')
        return list(runsOf.file, query.get('created')?.replace(/^>=/, '') ?? '');
      const one = ['', '/cancel', '/jobs', '/rerun']
        .map((end) => matchPath(`${base}/runs/:id${end}`, path))
        .find((found) => found !== undefined);
      if (!one) return undefined;
      const row = runs.rows.find(({ id }) => String(id) === one.id);
      return row ? answerRun(row, call) : refuse(404, 'Not Found');
    },
  };
}
