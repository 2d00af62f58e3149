import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkOut } from './check-out.ts';
import type { Upstream } from './github/gap.ts';
import { fillIn, isWanted, type WorkflowStep } from './github/workflow-file.ts';
import type { Conclusion, DispatchedRun, RunningJob } from './github/workflows.ts';
import { createRunnerLog, type RunnerLog } from './runner-log.ts';
import { isSetUpAction, setUpTool } from './set-up-actions.ts';
import { runStepProcess } from './step-process.ts';

/** The files of the action that are run before all steps, as its step, and after all steps. */
export interface ActionFiles {
  pre?: string;
  main: string;
  post?: string;
}

const source = (name: string) => fileURLToPath(new URL(`../${name}.ts`, import.meta.url));
export const SOURCE_ACTION: ActionFiles = { pre: source('action-pre'), main: source('action') };
const BUNDLER = fileURLToPath(new URL('../../scripts/bundle.mjs', import.meta.url));

/** Bundles the action as users get it. */
export function bundleAction(directory: string): ActionFiles {
  execFileSync(process.execPath, [BUNDLER, directory], { stdio: ['ignore', 'ignore', 'pipe'] });
  return { pre: join(directory, 'action-pre.js'), main: join(directory, 'action.js') };
}

interface JobRunnerOptions {
  upstream: Upstream;
  owner: string;
  name: string;
  serverUrl: string;
  /** The directory for everything a job leaves. The caller removes it. */
  directory: string;
  /** The bundle, or the source, which needs no bundling. */
  action: ActionFiles;
  /** PATH and the like. Nothing else of this process's environment reaches a job. */
  environment: Record<string, string>;
  secrets?: Record<string, string>;
  onLog?(run: number, text: string): void;
}

/** The results of a job. */
export interface FinishedJob {
  run: number;
  inputs: Record<string, string>;
  conclusion: Conclusion;
  log: string;
  summary: string;
  output: string;
  /** Names of the files in `artifacts`, relative to the workspace. */
  artifacts: string[];
  directory: string;
}

export interface JobRunner {
  start(run: DispatchedRun): RunningJob;
  readonly finished: readonly FinishedJob[];
}

/**
 * Runs a dispatch as a GitHub runner does: a fresh directory, the steps of the workflow's job, its files and its log.
 */
export function createJobRunner(options: JobRunnerOptions): JobRunner {
  const finished: FinishedJob[] = [];
  return {
    finished,
    start(run) {
      const cancelled = new AbortController();
      const ended = execute(options, run, cancelled.signal).then((job) => {
        finished.push(job);
        return job.conclusion;
      });
      return { ended, cancel: () => cancelled.abort() };
    },
  };
}

interface Machine extends JobRunnerOptions {
  run: DispatchedRun;
  workspace: string;
  files: Record<'event' | 'summary' | 'output' | 'env' | 'path' | 'state', string>;
  log: RunnerLog;
  cancelled: AbortSignal;
  jobEnv: Record<string, string>;
  secretsOfJob: Record<string, string>;
  artifacts: string[];
  home: string;
  /** Programs that steps find before any of them adds some: the machine's own, and those that they install with npm. */
  path: string;
  states: Map<WorkflowStep, Map<string, string>>;
}

async function execute(
  options: JobRunnerOptions,
  run: DispatchedRun,
  cancelled: AbortSignal,
): Promise<FinishedJob> {
  const home = join(options.directory, `run-${run.id}`);
  const file = (name: string) => join(home, 'files', name);
  const { secrets = {} } = options;
  const log = createRunnerLog(Object.values(secrets), (text) => options.onLog?.(run.id, text));
  const machine: Machine = {
    ...options,
    run,
    home,
    log,
    cancelled,
    workspace: join(home, 'work', options.name, options.name),
    files: {
      event: file('event.json'),
      summary: file('summary.md'),
      output: file('output'),
      env: file('env'),
      path: file('path'),
      state: file('state'),
    },
    jobEnv: {},
    secretsOfJob: secrets,
    artifacts: [],
    // A box shows the directories of the PATH, and npm keeps programs and packages in two of them.
    path: [options.environment.PATH, join(home, 'npm', 'bin'), join(home, 'npm')].filter(Boolean).join(':'),
    states: new Map(),
  };
  let conclusion: Conclusion = 'failure';
  try {
    prepare(machine);
    conclusion = await runSteps(machine);
  } catch (error) {
    log.write(`The sandbox's runner failed: ${(error as Error).stack ?? String(error)}\n`);
  }
  return {
    run: run.id,
    inputs: run.inputs,
    conclusion: cancelled.aborted ? 'cancelled' : conclusion,
    log: log.text(),
    summary: log.hide(readFileSync(machine.files.summary, 'utf8')),
    output: readFileSync(machine.files.output, 'utf8'),
    artifacts: machine.artifacts,
    directory: home,
  };
}

function prepare({ home, workspace, files, run, owner, name }: Machine): void {
  for (const directory of [workspace, join(home, 'files'), join(home, 'temp'), join(home, 'home')])
    mkdirSync(directory, { recursive: true });
  for (const path of Object.values(files)) writeFileSync(path, '');
  const event = {
    inputs: run.inputs,
    ref: `refs/heads/${run.branch}`,
    repository: { name, full_name: `${owner}/${name}`, owner: { login: owner } },
    sender: { login: run.actor },
    workflow: `.github/workflows/${run.workflow.file}`,
  };
  writeFileSync(files.event, JSON.stringify(event));
}

async function runSteps(machine: Machine): Promise<Conclusion> {
  const { run, log, cancelled } = machine;
  const contexts = { inputs: run.inputs, secrets: machine.secretsOfJob };
  const job = Object.values(run.workflow.jobs).find((candidate) => isWanted(candidate.if, contexts));
  if (!job) throw new Error('No job of the workflow is wanted.');
  let ok = true;
  const perform = async (title: string, step: WorkflowStep, run: PerformStep) => {
    log.write(`##[group]${title}\n`);
    const env = Object.fromEntries(
      Object.entries(step.env).map(([key, value]) => [key, fillIn(value, contexts)]),
    );
    const passed = await run({ ...machine.jobEnv, ...env, ...stateOf(machine, step) });
    if (!passed) log.write('##[error]The step failed.\n');
    ok &&= passed;
    applyStepEnvironment(machine);
    keepState(machine, step);
  };
  const named = (step: WorkflowStep) => step.name ?? step.uses ?? step.run?.split('\n')[0] ?? 'step';
  const ours = job.steps.filter((step) => OURS.test(actionOf(step)));
  const runFile = (step: WorkflowStep, file: string) =>
    perform(named(step), step, (env) => runAction(machine, step, file, env));
  const { pre, post } = machine.action;
  // As in Actions: `pre` of all steps first, in their order; `post` last, in the reverse order, also after a failure.
  if (pre) for (const step of ours) if (!cancelled.aborted) await runFile(step, pre);
  const begun: WorkflowStep[] = [];
  for (const step of job.steps) {
    if (step.if !== 'always()' && (!ok || cancelled.aborted)) continue;
    begun.push(step);
    await perform(named(step), step, (env) => runStep(machine, step, env));
  }
  if (post) for (const step of ours.toReversed()) if (pre || begun.includes(step)) await runFile(step, post);
  return ok ? 'success' : 'failure';
}

type PerformStep = (env: Record<string, string>) => Promise<boolean>;

/** The action, whoever's copy it is. */
const OURS = /^[\w-]+\/autobuild$/;

function actionOf({ uses = '' }: WorkflowStep): string {
  return uses.split('@')[0] ?? '';
}

/** State goes from a step to its own later parts only, in memory. */
function stateOf({ states }: Machine, step: WorkflowStep): Record<string, string> {
  return Object.fromEntries([...(states.get(step) ?? [])].map(([key, value]) => [`STATE_${key}`, value]));
}

function keepState({ files, states }: Machine, step: WorkflowStep): void {
  const text = readFileSync(files.state, 'utf8');
  writeFileSync(files.state, '');
  const kept = states.get(step) ?? new Map<string, string>();
  for (const [, key = '', , value = ''] of text.matchAll(/^(\w+)<<(\S+)\n([\s\S]*?)\n\2$/gm))
    kept.set(key, value);
  states.set(step, kept);
}

async function runStep(machine: Machine, step: WorkflowStep, env: Record<string, string>): Promise<boolean> {
  const { run, upstream, owner, name, workspace } = machine;
  const given = inputsOf(machine, step);
  if (step.run !== undefined) {
    const script = fillIn(step.run, { inputs: run.inputs, secrets: machine.secretsOfJob });
    const directory = step['working-directory'];
    return runProcess(machine, ['bash', '-e', '-o', 'pipefail', '-c', script], env, directory);
  }
  const uses = actionOf(step);
  if (OURS.test(uses)) return runAction(machine, step, machine.action.main, env);
  if (isSetUpAction(uses)) {
    const { home, files } = machine;
    machine.log.write(setUpTool(uses, given, { home, workspace, pathFile: files.path, path: machine.path }));
    return true;
  }
  switch (uses) {
    case 'actions/checkout':
      await checkOut(upstream, `/repos/${owner}/${name}`, given.ref || run.sha, workspace);
      return true;
    case 'actions/upload-artifact':
      keepArtifacts(machine, given.path ?? '');
      return true;
    default:
      throw new Error(`The sandbox's runner has no ${uses}; set-up steps are written with \`run:\` here.`);
  }
}

function inputsOf({ run }: Machine, step: WorkflowStep): Record<string, string> {
  return Object.fromEntries(
    Object.entries(step.with).map(([key, value]) => [key, fillIn(value, { inputs: run.inputs })]),
  );
}

function runAction(
  machine: Machine,
  step: WorkflowStep,
  file: string,
  env: Record<string, string>,
): Promise<boolean> {
  const inputs = Object.entries({ directory: '.', ...inputsOf(machine, step) }).map(([key, value]) => [
    `INPUT_${key.toUpperCase()}`,
    value,
  ]);
  return runProcess(machine, [process.execPath, file], { ...env, ...Object.fromEntries(inputs) });
}

function environmentOf(machine: Machine): Record<string, string> {
  const { run, files, home, workspace, owner, name, serverUrl, environment } = machine;
  return {
    ...environment,
    PATH: machine.path,
    npm_config_prefix: join(home, 'npm'),
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTOR: run.actor,
    GITHUB_API_URL: `${serverUrl}/api/v3`,
    GITHUB_ENV: files.env,
    GITHUB_EVENT_NAME: 'workflow_dispatch',
    GITHUB_EVENT_PATH: files.event,
    GITHUB_JOB: run.inputs.kind ?? 'job',
    GITHUB_OUTPUT: files.output,
    GITHUB_PATH: files.path,
    GITHUB_REF: `refs/heads/${run.branch}`,
    GITHUB_REPOSITORY: `${owner}/${name}`,
    GITHUB_RUN_ATTEMPT: String(run.attempt),
    GITHUB_RUN_ID: String(run.id),
    GITHUB_SERVER_URL: serverUrl,
    GITHUB_SHA: run.sha,
    GITHUB_STATE: files.state,
    GITHUB_STEP_SUMMARY: files.summary,
    GITHUB_WORKFLOW: run.workflow.name,
    GITHUB_WORKSPACE: workspace,
    HOME: join(home, 'home'),
    RUNNER_ARCH: 'X64',
    RUNNER_OS: 'Linux',
    RUNNER_TEMP: join(home, 'temp'),
    RUNNER_TRACKING_ID: `sandbox_${run.id}`,
  };
}

function runProcess(
  machine: Machine,
  argv: string[],
  env: Record<string, string>,
  directory = '.',
): Promise<boolean> {
  const { workspace, cancelled, log } = machine;
  const cwd = join(workspace, directory);
  return runStepProcess(argv, {
    cwd,
    cancelled,
    env: { ...environmentOf(machine), ...env },
    onOutput: log.write,
  });
}

/** Applies the variables and paths that a step wrote for the steps after it. */
function applyStepEnvironment({ files, jobEnv, path }: Machine): void {
  for (const line of readFileSync(files.env, 'utf8').split('\n')) {
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (key) jobEnv[key] = value ?? '';
  }
  const added = readFileSync(files.path, 'utf8').split('\n').filter(Boolean).toReversed();
  if (added.length > 0) jobEnv.PATH = [...added, path].join(':');
}

function keepArtifacts({ workspace, home, artifacts }: Machine, pattern: string): void {
  for (const file of globSync(pattern, { cwd: workspace })) {
    const kept = join(home, 'artifacts', file);
    mkdirSync(dirname(kept), { recursive: true });
    copyFileSync(join(workspace, file), kept);
    artifacts.push(file);
  }
}
