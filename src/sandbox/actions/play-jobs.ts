import type { Json } from '../github/gap.ts';
import type { Called } from './called-workflows.ts';
import type { createConcurrency } from './concurrency.ts';
import { type Contexts, fillIn, fillInValue, isWanted, type Status } from './expressions.ts';
import type { Conclusion, RunningJob, StartedJob, WorkflowRun } from './job.ts';
import type { TokenPermissions } from './token-permissions.ts';
import type { WorkflowJob } from './workflow-file.ts';
import { typeInputs } from './workflow-inputs.ts';

/** A job of a run, as the API and tests see it. */
export interface JobRow {
  /** Its key in the file. */
  job: string;
  name: string;
  status: 'queued' | 'pending' | 'in_progress' | 'completed';
  conclusion: Conclusion | null;
  started_at: string;
  /** Its machine has begun. */
  hasMachine: boolean;
  completed_at: string | null;
}

interface Play {
  run: WorkflowRun;
  github: Json;
  secrets: Record<string, string>;
  concurrency: ReturnType<typeof createConcurrency>;
  cancelled: AbortSignal;
  rows: JobRow[];
  /** Jobs of the attempt before that need not run again, by the name that people see. */
  kept: ReadonlyMap<string, Result>;
  /** The results of this attempt, by the same names. */
  results: Map<string, Result>;
  /** No machine is free any more, because GitHub itself is being closed. */
  isClosing(): boolean;
  start(job: Omit<StartedJob, 'token'>, permissions: TokenPermissions): RunningJob;
}

export interface Result {
  result: 'success' | 'failure' | 'cancelled' | 'skipped';
  outputs: Record<string, string>;
}

/** The values that one file's jobs are played with. */
interface Scope extends Called {
  inputs: Record<string, unknown>;
  secrets: Record<string, string>;
  /** The name of the job that calls the file, for people. */
  within: string;
}

/** Plays the jobs of a run in the order that their `needs` give, as many at a time as there are. */
export async function playJobs(play: Play, called: Called): Promise<Conclusion> {
  const { run, secrets } = play;
  const declared = called.workflow.on.workflow_dispatch?.inputs ?? {};
  const inputs = run.event === 'workflow_dispatch' ? typeInputs(declared, run.inputs) : {};
  const results = await playFile(play, { ...called, inputs, secrets, within: '' });
  return conclude([...results.values()]);
}

/** A job runs again if it or one that it needs has to. */
function findKept({ kept }: Play, scope: Scope, id: string): Result | undefined {
  const { jobs } = scope.workflow;
  const isKept = (one: string): boolean => {
    const job = jobs[one];
    return job !== undefined && kept.has(nameOf(scope, one, job)) && job.needs.every(isKept);
  };
  const job = jobs[id];
  return job && isKept(id) ? kept.get(nameOf(scope, id, job)) : undefined;
}

function conclude(results: Result[]): Result['result'] {
  for (const worst of ['failure', 'cancelled'] as const)
    if (results.some(({ result }) => result === worst)) return worst;
  return results.every(({ result }) => result === 'skipped') ? 'skipped' : 'success';
}

async function playFile(play: Play, scope: Scope): Promise<Map<string, Result>> {
  const { jobs } = scope.workflow;
  const playing = new Map<string, Promise<Result>>();
  const ended = new Map<string, Result>();
  const playOnce = (id: string): Promise<Result> => {
    const known = playing.get(id) ?? playInTurn(id);
    playing.set(id, known);
    return known;
  };
  async function playInTurn(id: string): Promise<Result> {
    const job = jobs[id];
    if (!job) throw new Error(`There is no job ${id}.`);
    await Promise.all(job.needs.map(playOnce));
    const name = nameOf(scope, id, job);
    const result = findKept(play, scope, id) ?? (await playJob(play, scope, id, job, ended));
    play.results.set(name, result);
    ended.set(id, result);
    return result;
  }
  await Promise.all(Object.keys(jobs).map(playOnce));
  return ended;
}

async function playJob(
  play: Play,
  scope: Scope,
  id: string,
  job: WorkflowJob,
  ended: ReadonlyMap<string, Result>,
): Promise<Result> {
  const { cancelled } = play;
  const needs = Object.fromEntries(job.needs.map((need) => [need, ended.get(need)]));
  const contexts = { github: play.github, needs, inputs: scope.inputs, vars: {} };
  const before = ancestorsOf(scope.workflow.jobs, id).map((one) => ended.get(one)?.result);
  const status: Status = {
    success: !cancelled.aborted && before.every((result) => result === 'success'),
    failure: before.includes('failure'),
    cancelled: cancelled.aborted,
  };
  if (!isWanted(job.if, contexts, status)) return endUnplayed(play, scope, id, job);
  const stop = new AbortController();
  const place = play.concurrency.enter(job.concurrency && fillIn(job.concurrency.group, contexts), {
    stopsRunning: String(job.concurrency?.['cancel-in-progress']) === 'true',
    stop: () => stop.abort(),
  });
  const called = scope.calls.get(id);
  // People see the jobs of a called file instead of the job that calls it.
  const row = addRow(called ? [] : play.rows, nameOf(scope, id, job), id, 'pending');
  // A job that starts after the run was cancelled wants that, by `always()`.
  const stopped = cancelled.aborted ? stop.signal : AbortSignal.any([cancelled, stop.signal]);
  const leave = () => place.leave();
  stopped.addEventListener('abort', leave, { once: true });
  const isTurn = await place.turn;
  stopped.removeEventListener('abort', leave);
  try {
    if (!isTurn || play.isClosing()) return endRow(row, { result: 'cancelled', outputs: {} });
    Object.assign(row, { status: 'in_progress', hasMachine: true, started_at: new Date().toISOString() });
    return endRow(
      row,
      called
        ? await callFile(play, scope, job, called, contexts, row.name)
        : await runJob(play, scope, id, job, contexts, row.name, stopped),
    );
  } finally {
    place.leave();
  }
}

async function runJob(
  play: Play,
  { workflow, permissions, secrets }: Scope,
  id: string,
  definition: WorkflowJob,
  contexts: Contexts,
  jobName: string,
  stopped: AbortSignal,
): Promise<Result> {
  const github = { ...play.github, job: id };
  const running = play.start(
    {
      ...play.run,
      job: id,
      jobName,
      definition,
      fileEnv: workflow.env,
      contexts: { ...contexts, github, secrets },
    },
    permissions.get(id) ?? {},
  );
  const cancel = () => running.cancel();
  stopped.addEventListener('abort', cancel, { once: true });
  const conclusion = await running.ended;
  stopped.removeEventListener('abort', cancel);
  const outputs = running.outputs?.() ?? {};
  return { result: conclusion === 'success' || conclusion === 'cancelled' ? conclusion : 'failure', outputs };
}

/** A called workflow has the inputs and secrets that it is given, and nothing else of its caller's. */
async function callFile(
  play: Play,
  scope: Scope,
  job: WorkflowJob,
  called: Called,
  contexts: Contexts,
  within: string,
): Promise<Result> {
  const { inputs = {}, outputs = {} } = called.workflow.on.workflow_call ?? {};
  const given = Object.entries(job.with).map(([name, value]) => [name, fillInValue(value, contexts)]);
  const withSecrets = { ...contexts, secrets: scope.secrets };
  const secrets =
    job.secrets === 'inherit'
      ? scope.secrets
      : Object.fromEntries(
          Object.entries(job.secrets).map(([name, value]) => [name, fillIn(value, withSecrets)]),
        );
  const typed = typeInputs(inputs, Object.fromEntries(given));
  const results = await playFile(play, { ...called, inputs: typed, secrets, within });
  const jobs = Object.fromEntries([...results].map(([name, one]) => [name, one]));
  const shown = Object.entries(outputs).map(([name, { value }]) => [
    name,
    fillIn(value, { github: play.github, inputs: typed, vars: {}, jobs }),
  ]);
  return { result: conclude([...results.values()]), outputs: Object.fromEntries(shown) };
}

function ancestorsOf(jobs: Record<string, WorkflowJob>, id: string): string[] {
  const needs = jobs[id]?.needs ?? [];
  return [...new Set(needs.flatMap((need) => [need, ...ancestorsOf(jobs, need)]))];
}

function nameOf({ within }: Scope, id: string, { name }: WorkflowJob): string {
  return within ? `${within} / ${name ?? id}` : (name ?? id);
}

function addRow(rows: JobRow[], name: string, job: string, status: JobRow['status']): JobRow {
  const row: JobRow = {
    job,
    name,
    status,
    conclusion: null,
    started_at: new Date().toISOString(),
    hasMachine: false,
    completed_at: null,
  };
  rows.push(row);
  return row;
}

function endRow(row: JobRow, result: Result): Result {
  Object.assign(row, {
    status: 'completed',
    conclusion: result.result,
    completed_at: new Date().toISOString(),
  });
  return result;
}

function endUnplayed(play: Play, scope: Scope, id: string, job: WorkflowJob): Result {
  const result = play.cancelled.aborted ? 'cancelled' : 'skipped';
  return endRow(addRow(play.rows, nameOf(scope, id, job), id, 'queued'), { result, outputs: {} });
}
