import type { Json } from '../github/gap.ts';
import { findCalled, StartupError } from './called-workflows.ts';
import { createConcurrency } from './concurrency.ts';
import { fillIn } from './expressions.ts';
import { githubContext } from './github-context.ts';
import type { Conclusion, RunningJob, StartedJob, WorkflowRun } from './job.ts';
import { type JobRow, playJobs, type Result } from './play-jobs.ts';
import { onlyReading, type TokenPermissions } from './token-permissions.ts';
import { eventsOf, isFromFork, isTriggered, startOf, type WorkflowEvent } from './triggers.ts';
import type { WorkflowFile } from './workflow-file.ts';
import { typeInputs } from './workflow-inputs.ts';
import type { WorkflowSource } from './workflow-source.ts';

/** A run of a workflow, with everything that the API tells of it. */
export interface RunRow extends WorkflowRun {
  name: string;
  number: number;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: Conclusion | null;
  created_at: string;
  updated_at: string;
  /** The jobs of its newest attempt. */
  jobs: JobRow[];
  /** Their results, and those that the newest attempt took from the one before. */
  results?: ReadonlyMap<string, Result>;
  kept?: ReadonlyMap<string, Result>;
  /** Why nothing of it started. */
  problem?: string;
  /** A pull request's own file, from a fork. */
  fromFork: boolean;
  cancelling: AbortController;
  /** Resolves when the end was sent to everybody. */
  announced?: Promise<void>;
}

export interface WorkflowRuns {
  readonly rows: readonly RunRow[];
  /** A run of one workflow, whose jobs start when its group lets it. */
  begin(
    workflow: WorkflowFile,
    at: { sha: string; branch: string },
    event: WorkflowEvent,
    inputs?: Record<string, string>,
  ): Promise<RunRow>;
  /** A webhook, for the workflows that it starts. */
  receive(webhook: string, payload: Json): Promise<void>;
  /** Events that could not be handled, and why. */
  readonly problems: readonly string[];
  /** Resolves when every webhook so far has started what it starts. */
  settled(): Promise<void>;
  /** Decides about each event before any workflow sees it: one that it refuses is lost. */
  route(through: (event: WorkflowEvent) => boolean): void;
  /** Every workflow with a schedule, as if its time had come. */
  fireSchedules(payload?: Json): Promise<void>;
  /** A person clicks *Approve and run*. */
  approve(run: number): void;
  /** A person clicks *Re-run all jobs*, or *Re-run failed jobs*. False while it runs. */
  rerun(run: number, which?: 'all' | 'failed'): boolean;
  /** Cancels every running job and waits for it. */
  close(): Promise<void>;
}

interface RunOptions {
  source: WorkflowSource;
  owner: string;
  name: string;
  url: string;
  secrets(): Record<string, string>;
  start(job: Omit<StartedJob, 'token'>, permissions: TokenPermissions): RunningJob;
  tell(action: 'requested' | 'completed', row: RunRow): Promise<void>;
}

const FIRST_RUN = 7_000_001;

/** Runs of workflows: what starts one, its turn in its group, its jobs, and its end. */
export function createWorkflowRuns(options: RunOptions): WorkflowRuns {
  const { source, tell } = options;
  const rows: RunRow[] = [];
  const concurrency = createConcurrency();
  let closing = false;
  const problems: string[] = [];
  let receiving: Promise<void> = Promise.resolve();
  let through: (event: WorkflowEvent) => boolean = () => true;

  const begin: WorkflowRuns['begin'] = async (workflow, { sha, branch }, event, inputs = {}) => {
    const at = new Date().toISOString();
    const { sender } = event.payload as { sender?: { login?: string } };
    const row: RunRow = {
      ...{ id: FIRST_RUN + rows.length, number: rows.length + 1, attempt: 1 },
      ...{ workflow, sha, branch, inputs, name: workflow.name },
      actor: sender?.login ?? 'ghost',
      event: event.name,
      payload: event.payload,
      fromFork: isFromFork(event),
      status: 'queued',
      conclusion: null,
      created_at: at,
      updated_at: at,
      jobs: [],
      cancelling: new AbortController(),
    };
    row.name = (workflow.runName && fillIn(workflow.runName, contextsOf(row)).trim()) || titleOf(row);
    rows.push(row);
    await tell('requested', row);
    if (startOf(event) === 'after approval')
      Object.assign(row, { status: 'completed', conclusion: 'action_required' });
    else row.announced = play(row);
    return row;
  };

  const contextsOf = (row: RunRow) => ({
    github: githubContext(row, options),
    inputs:
      row.event === 'workflow_dispatch'
        ? typeInputs(row.workflow.on.workflow_dispatch?.inputs ?? {}, row.inputs)
        : {},
    vars: {},
  });

  async function play(row: RunRow): Promise<void> {
    const { concurrency: asked } = row.workflow;
    const place = concurrency.enter(asked && fillIn(asked.group, contextsOf(row)), {
      stopsRunning: String(asked?.['cancel-in-progress']) === 'true',
      stop: () => row.cancelling.abort(),
    });
    const leaveQueue = () => {
      if (row.status === 'queued') place.leave();
    };
    row.cancelling.signal.addEventListener('abort', leaveQueue, { once: true });
    const isTurn = await place.turn;
    if (closing) return;
    if (!isTurn) return finish(row, 'cancelled');
    row.status = 'in_progress';
    try {
      await finish(row, await playNow(row));
    } finally {
      place.leave();
    }
  }

  async function playNow(row: RunRow): Promise<Conclusion> {
    const { github } = contextsOf(row);
    const kept = row.kept ?? new Map();
    const results = new Map<string, Result>();
    row.results = results;
    try {
      const called = await findCalled(row.workflow, (uses) => source.findCalled(uses, row.sha));
      return await playJobs(
        {
          ...{ run: row, github, concurrency, rows: row.jobs, kept, results },
          secrets: row.fromFork ? {} : options.secrets(),
          cancelled: row.cancelling.signal,
          isClosing: () => closing,
          start: (job, permissions) =>
            options.start(job, row.fromFork ? onlyReading(permissions) : permissions),
        },
        called,
      );
    } catch (error) {
      row.problem = (error as Error).message;
      return error instanceof StartupError ? 'startup_failure' : 'failure';
    }
  }

  async function finish(row: RunRow, conclusion: Conclusion): Promise<void> {
    Object.assign(row, { status: 'completed', conclusion, updated_at: new Date().toISOString() });
    await tell('completed', row);
  }

  async function startAll(webhook: string, payload: Json): Promise<void> {
    if (closing) return;
    for (const event of eventsOf(webhook, payload)) {
      if (startOf(event) === 'never' || !through(event)) continue;
      const at = await placeOf(event);
      for (const workflow of await source.list(at.sha, at.from))
        if (isTriggered(workflow, event)) await begin(workflow, at, event);
    }
  }

  async function placeOf({ fileFrom, payload }: WorkflowEvent) {
    const home = await source.head();
    if (fileFrom === 'default branch') return { ...home, from: undefined };
    const { head } = payload.pull_request as {
      head: { sha: string; ref: string; repo?: { full_name: string } };
    };
    return { sha: head.sha, branch: head.ref, from: `/repos/${head.repo?.full_name}` };
  }

  const rowOf = (id: number) => {
    const row = rows.find((one) => one.id === id);
    if (!row) throw new Error(`There is no run ${id}.`);
    return row;
  };

  return {
    rows,
    begin,
    receive(webhook, payload) {
      receiving = receiving
        .then(() => startAll(webhook, payload))
        .catch((error: unknown) => void problems.push(`${webhook}: ${String(error)}`));
      return receiving;
    },
    settled: () => receiving,
    problems,
    route(next) {
      through = next;
    },
    async fireSchedules(payload = {}) {
      const at = await source.head();
      const event: WorkflowEvent = { name: 'schedule', payload, fileFrom: 'default branch' };
      for (const workflow of await source.list(at.sha))
        if (isTriggered(workflow, event)) await begin(workflow, at, event);
    },
    approve(run) {
      const row = rowOf(run);
      if (row.conclusion !== 'action_required') throw new Error(`Run ${run} waits for no approval.`);
      Object.assign(row, { status: 'queued', conclusion: null });
      row.announced = play(row);
    },
    rerun(run, which = 'all') {
      const row = rowOf(run);
      if (row.status !== 'completed') return false;
      const succeeded = [...(row.results ?? [])].filter(([, { result }]) => result === 'success');
      row.kept = new Map(which === 'failed' ? succeeded : []);
      row.jobs.length = 0;
      row.cancelling = new AbortController();
      Object.assign(row, { attempt: row.attempt + 1, status: 'queued', conclusion: null });
      row.announced = play(row);
      return true;
    },
    async close() {
      closing = true;
      for (const row of rows) row.cancelling.abort();
      await Promise.all(rows.map((row) => row.announced));
    },
  };
}

/** The title of a run whose file has no `run-name`, or whose `run-name` is blank. */
function titleOf({ workflow, payload }: RunRow): string {
  const { issue, pull_request } = payload as {
    issue?: { title?: string };
    pull_request?: { title?: string };
  };
  return issue?.title ?? pull_request?.title ?? workflow.name;
}
