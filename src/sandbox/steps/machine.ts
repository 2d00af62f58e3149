import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StartedJob } from '../actions/job.ts';
import type { WorkflowStep } from '../actions/workflow-file.ts';
import type { Upstream } from '../github/gap.ts';
import type { RunnerLog } from '../runner-log.ts';
import type { Artifacts } from './artifacts.ts';

/** The files of the action that are run before all steps, as its step, and after all steps. */
export interface ActionFiles {
  pre?: string;
  main: string;
  post?: string;
}

/** A step of the action, as its process would see it. */
export interface PartInProcess {
  env: Record<string, string>;
  cwd: string;
  print(text: string): void;
  cancelled: AbortSignal;
}

/** The options that all machines of a runner share. */
export interface MachineOptions {
  upstream: Upstream;
  owner: string;
  name: string;
  serverUrl: string;
  /** The bundle, or the source, which needs no bundling. */
  action: ActionFiles;
  /** Runs a part of the action in this process. Undefined for parts that get a process of their own. */
  inProcess?(part: string, step: PartInProcess): Promise<boolean> | undefined;
  /** PATH and the like. Nothing else of this process's environment reaches a job. */
  environment: Record<string, string>;
}

/** A machine for one job. */
export interface Machine extends MachineOptions {
  job: StartedJob;
  home: string;
  workspace: string;
  files: Record<'event' | 'summary' | 'output' | 'env' | 'path' | 'state', string>;
  log: RunnerLog;
  cancelled: AbortSignal;
  /** The machine lost its power. */
  killed: AbortSignal;
  /** Variables that steps set for those after them. */
  jobEnv: Record<string, string>;
  /** Everything that steps wrote to GITHUB_OUTPUT. */
  output: string;
  store: Artifacts;
  /** Files of the artifacts that the job kept, relative to the workspace. */
  artifacts: string[];
  /** Programs that steps find before any of them adds some: the machine's own, and those that they install with npm. */
  path: string;
  states: Map<WorkflowStep, Record<string, string>>;
}

export function openMachine(
  options: MachineOptions,
  job: StartedJob,
  home: string,
  parts: Pick<Machine, 'log' | 'cancelled' | 'killed' | 'store'>,
): Machine {
  const file = (name: string) => join(home, 'files', name);
  const machine: Machine = {
    ...options,
    ...parts,
    job,
    home,
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
    output: '',
    artifacts: [],
    // A box shows the directories of the PATH, and npm keeps programs and packages in two of them.
    path: [options.environment.PATH, join(home, 'npm', 'bin'), join(home, 'npm')].filter(Boolean).join(':'),
    states: new Map(),
  };
  const { workspace, files } = machine;
  for (const directory of [workspace, join(home, 'files'), join(home, 'temp'), join(home, 'home')])
    mkdirSync(directory, { recursive: true });
  for (const path of Object.values(files)) writeFileSync(path, '');
  writeFileSync(files.event, JSON.stringify(job.payload));
  return machine;
}

/** The variables that every step has, whatever its file says. */
export function environmentOf(machine: Machine): Record<string, string> {
  const { job, files, home, workspace, environment } = machine;
  const { event: _, token: __, ...github } = job.contexts.github;
  const named = Object.entries(github).map(([name, value]) => [
    `GITHUB_${name.toUpperCase()}`,
    String(value),
  ]);
  return {
    ...environment,
    ...Object.fromEntries(named),
    PATH: machine.path,
    npm_config_prefix: join(home, 'npm'),
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_ENV: files.env,
    GITHUB_EVENT_PATH: files.event,
    GITHUB_OUTPUT: files.output,
    GITHUB_PATH: files.path,
    GITHUB_STATE: files.state,
    GITHUB_STEP_SUMMARY: files.summary,
    GITHUB_WORKSPACE: workspace,
    HOME: join(home, 'home'),
    RUNNER_ARCH: 'X64',
    RUNNER_OS: 'Linux',
    RUNNER_TEMP: join(home, 'temp'),
    RUNNER_TRACKING_ID: trackingId(job.id),
  };
}

/** Marks every process of a job. Each sandbox counts its runs from the same number, and several may be at work on a machine. */
export function trackingId(run: number): string {
  return `sandbox_${process.pid}_${run}`;
}
