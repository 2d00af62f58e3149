import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Conclusion, RunningJob, StartedJob } from './actions/job.ts';
import { createRunnerLog } from './runner-log.ts';
import { type Artifacts, createArtifacts } from './steps/artifacts.ts';
import { type ActionFiles, type MachineOptions, openMachine } from './steps/machine.ts';
import { runSteps } from './steps/run-steps.ts';

const source = (name: string) => fileURLToPath(new URL(`../${name}.ts`, import.meta.url));
export const SOURCE_ACTION: ActionFiles = { pre: source('action-pre'), main: source('action') };
const BUNDLER = fileURLToPath(new URL('../../scripts/bundle.mjs', import.meta.url));

/** Bundles the action as users get it. */
export function bundleAction(directory: string): ActionFiles {
  execFileSync(process.execPath, [BUNDLER, directory], { stdio: ['ignore', 'ignore', 'pipe'] });
  return { pre: join(directory, 'action-pre.js'), main: join(directory, 'action.js') };
}

interface JobRunnerOptions extends MachineOptions {
  /** The directory for everything a job leaves. The caller removes it. */
  directory: string;
  onLog?(run: number, text: string): void;
  /** Looks into an artifact, or changes it, before any job downloads it. */
  onArtifact?(run: number, name: string, folder: string): void;
}

/** The results of a job. */
export interface FinishedJob {
  run: number;
  attempt: number;
  /** Its key in the file. */
  job: string;
  event: string;
  inputs: Record<string, string>;
  conclusion: Conclusion;
  log: string;
  summary: string;
  output: string;
  outputs: Record<string, string>;
  /** Names of the files in `artifacts`, relative to the workspace. */
  artifacts: string[];
  directory: string;
}

export interface JobRunner {
  start(job: StartedJob): RunningJob;
  readonly finished: readonly FinishedJob[];
  /** Jobs for which no machine is free. */
  readonly waiting: readonly StartedJob[];
  /** From now on no machine is free for these jobs. They keep their place in their group. */
  pause(which?: (job: StartedJob) => boolean): void;
  resume(): void;
}

/** Runs a job as a GitHub runner does: a fresh directory, the steps of the workflow's job, its files and its log. */
export function createJobRunner(options: JobRunnerOptions): JobRunner {
  const finished: FinishedJob[] = [];
  const waiting: { job: StartedJob; go(): void }[] = [];
  const store = createArtifacts(
    join(options.directory, 'artifacts'),
    options.onArtifact ?? (() => undefined),
  );
  let isPaused: (job: StartedJob) => boolean = () => false;

  async function waitForMachine(job: StartedJob, stopped: AbortSignal): Promise<void> {
    if (!isPaused(job)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const entry = { job, go: resolve };
    waiting.push(entry);
    stopped.addEventListener('abort', () => resolve(), { once: true });
    await promise;
    waiting.splice(waiting.indexOf(entry), 1);
  }

  return {
    finished,
    get waiting() {
      return waiting.map(({ job }) => job);
    },
    pause(which = () => true) {
      isPaused = which;
    },
    resume() {
      isPaused = () => false;
      for (const { go } of [...waiting]) go();
    },
    start(job) {
      const cancelling = new AbortController();
      const killing = new AbortController();
      let outputs: Record<string, string> = {};
      const run = async (): Promise<Conclusion> => {
        await waitForMachine(job, AbortSignal.any([cancelling.signal, killing.signal]));
        if (cancelling.signal.aborted || killing.signal.aborted) return 'cancelled';
        const done = await execute(options, job, store, cancelling.signal, killing.signal);
        finished.push(done);
        ({ outputs } = done);
        return done.conclusion;
      };
      return {
        ended: run(),
        outputs: () => outputs,
        cancel: () => cancelling.abort(),
        kill: () => killing.abort(),
      };
    },
  };
}

async function execute(
  options: JobRunnerOptions,
  job: StartedJob,
  store: Artifacts,
  cancelled: AbortSignal,
  killed: AbortSignal,
): Promise<FinishedJob> {
  const home = freshDirectory(options.directory, job.id);
  const log = createRunnerLog(Object.values(job.contexts.secrets), (text) => options.onLog?.(job.id, text));
  const machine = openMachine(options, job, home, { log, cancelled, killed, store });
  let ended: Awaited<ReturnType<typeof runSteps>> = { conclusion: 'failure', outputs: {} };
  try {
    ended = await runSteps(machine);
  } catch (error) {
    log.write(`The sandbox's runner failed: ${(error as Error).stack ?? String(error)}\n`);
  }
  const { id: run, attempt, job: key, event, inputs } = job;
  return {
    ...{ run, attempt, job: key, event, inputs },
    conclusion: cancelled.aborted ? 'cancelled' : ended.conclusion,
    outputs: ended.outputs,
    log: log.text(),
    summary: log.hide(readFileSync(machine.files.summary, 'utf8')),
    output: machine.output,
    artifacts: machine.artifacts,
    directory: home,
  };
}

/** The name is short, because the paths of sockets below it have a limit. */
function freshDirectory(directory: string, run: number): string {
  const first = join(directory, `run-${run}`);
  for (let count = 2; ; count += 1) {
    const name = count === 2 ? first : `${first}.${count - 1}`;
    if (!existsSync(name)) return name;
  }
}
