import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ActionError } from './action/action-error.ts';
import { runBuildJob } from './action/build-job.ts';
import { jobEnvironment } from './action/job-environment.ts';
import { openRepository } from './action/open-repository.ts';
import { readDispatch } from './action/read-dispatch.ts';
import { runVerifyJob } from './action/verify-job.ts';
import { agentNamed } from './agents/registry.ts';
import { type JobRecord, renderStepSummary } from './comments/github/render-step-summary.ts';
import { createHttpLink, type HttpLink, JobOverError, RunOverError } from './link/http.ts';
import { LinkRefusedError } from './link/retry-request.ts';
import { runHook } from './runner/gate/run-hook.ts';
import { type ActionLog, createActionLog, formatOutput } from './runner/output/workflow-commands.ts';
import { ChangesetRefusedError } from './runner/workspace/apply-changeset.ts';

const DEFAULT_JOB_MINUTES = 340;

/** The action. Reads the environment, wires one job, and is the only place where errors are caught. */
async function main(env: NodeJS.ProcessEnv, log: ActionLog): Promise<void> {
  const startedAt = new Date();
  const now = () => new Date();
  const { ticket, desk, kind } = readDispatch(env.GITHUB_EVENT_PATH);
  log.mask(ticket);
  const baseUrl = chooseDesk(desk, env.INPUT_DESK);
  const worktree = findWorktree(env);
  const parking = parkOnSignals();
  const link = await createHttpLink({
    baseUrl,
    ticket,
    actionsRun: wholeNumber('GITHUB_RUN_ID', env.GITHUB_RUN_ID),
    attempt: wholeNumber('GITHUB_RUN_ATTEMPT', env.GITHUB_RUN_ATTEMPT ?? '1'),
    now,
    onRetry: (problem, waitMs) => log.print(`The desk: ${problem}; again in ${Math.ceil(waitMs / 1000)} s.`),
  });
  try {
    const { claimed } = link;
    if (claimed.kind !== kind) {
      throw new ActionError(
        `The dispatch says ${kind}, but the ticket is for a job that is there to ${claimed.kind}.`,
        'Dispatch the workflow by label only.',
      );
    }
    const { brief, place } = claimed;
    log.print(`Run ${brief.run}, job ${brief.job}: ${brief.task.title}`);
    const repository = await openRepository(worktree, place.head_sha, env.PATH);
    const input = { link, log, worktree, repository, env: jobEnvironment(env), now, parking };
    if (kind === 'verify') {
      const { verification, leftOut } = await runVerifyJob(input);
      const end = verification.ok ? 'verified' : 'the checks do not pass';
      return writeResult(env, link, verification.ok ? 'verified' : 'not_verified', {
        end,
        turns: [],
        verification,
        leftOut,
      });
    }
    const jobMinutes = Number(env.AUTOBUILD_JOB_MINUTES || DEFAULT_JOB_MINUTES);
    if (!(jobMinutes > 0))
      throw new ActionError(
        'AUTOBUILD_JOB_MINUTES is not a number of minutes.',
        'Set it to one below timeout-minutes.',
      );
    const runDir = join(env.RUNNER_TEMP || tmpdir(), `autobuild-${brief.run}-${brief.job}`);
    mkdirSync(runDir, { recursive: true, mode: 0o700 });
    const { end, history, leftOut } = await runBuildJob({
      ...input,
      runDir,
      jobMinutes,
      startedAt,
      self: [process.execPath, process.argv[1] ?? ''],
    });
    const orders = await link.orders();
    const status = orders.do === 'stop' ? orders.status : end;
    writeResult(env, link, status, { end: ENDS[end], ...history, leftOut });
  } finally {
    await link.close();
  }
}

const ENDS = {
  finished: 'finished',
  parked: 'parked, the work is saved',
  handed_over: 'handed over to a successor before the time limit',
};

/** Writes the step summary and the outputs, for people and later steps. */
function writeResult(
  env: NodeJS.ProcessEnv,
  { claimed }: HttpLink,
  status: string,
  record: Omit<JobRecord, 'title' | 'run' | 'job' | 'kind' | 'agent'>,
): void {
  const { brief, place, kind } = claimed;
  const { run, job, agent, task } = brief;
  if (env.GITHUB_STEP_SUMMARY) {
    const summary = renderStepSummary({ title: task.title, run, job, kind, agent, ...record });
    appendFileSync(env.GITHUB_STEP_SUMMARY, `${summary}\n`);
  }
  if (!env.GITHUB_OUTPUT) return;
  const pulls = `${env.GITHUB_SERVER_URL ?? 'https://github.com'}/${place.owner}/${place.repo}/pulls`;
  const outputs = {
    status,
    run,
    'pull-request': `${pulls}?q=${encodeURIComponent(`head:autobuild/issue-${place.issue}`)}`,
  };
  const word = () => randomBytes(16).toString('hex');
  const text = Object.entries(outputs).map(([name, value]) => formatOutput(name, value, word()));
  appendFileSync(env.GITHUB_OUTPUT, text.join(''));
}

/** A run that was cancelled while its job waited for a runner, or a job that was replaced, is no failure of the job. */
function writeRunOver(env: NodeJS.ProcessEnv, log: ActionLog, message: string, status: string): void {
  log.annotate('notice', message);
  if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, `${message}\n`);
  if (env.GITHUB_OUTPUT)
    appendFileSync(env.GITHUB_OUTPUT, formatOutput('status', status, randomBytes(16).toString('hex')));
}

/**
 * The address in the workflow file wins, so that a person who may dispatch cannot send the job and the agent's keys
 * elsewhere.
 */
function chooseDesk(dispatched: string | undefined, pinned: string | undefined): string {
  const desk = pinned || dispatched;
  const remedy = 'Give the App’s address to the action as `desk`, or leave it to the App.';
  if (!desk) throw new ActionError('The address of the App is not known.', remedy);
  if (pinned && dispatched && new URL(pinned).href !== new URL(dispatched).href)
    throw new ActionError(`The dispatch names ${dispatched}, but the workflow is for ${pinned}.`, remedy);
  return desk;
}

function findWorktree(env: NodeJS.ProcessEnv): string {
  const directory = resolve(env.GITHUB_WORKSPACE ?? process.cwd(), env.INPUT_DIRECTORY || '.');
  if (existsSync(directory)) return realpathSync(directory);
  throw new ActionError(
    `There is no directory ${directory}.`,
    'Name the place of the checkout with `directory`.',
  );
}

/** Actions cancels with SIGINT, then with SIGTERM. Both save the work. */
function parkOnSignals(): AbortSignal {
  const parking = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => parking.abort());
  return parking.signal;
}

function wholeNumber(name: string, text: string | undefined): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new ActionError(
    `${name} is ${JSON.stringify(text ?? '')}, not a whole number.`,
    `Set ${name} to one.`,
  );
}

function describe(error: unknown): string {
  if (error instanceof ActionError) return `${error.message} ${error.remedy}`;
  if (error instanceof ChangesetRefusedError) return error.message;
  if (error instanceof JobOverError)
    return `The desk counts this job no more (${error.message}) What it had saved is kept, and the run goes on without it.`;
  if (error instanceof LinkRefusedError) {
    return `The desk refused this job (${error.message}). A job is started by label only; a replaced one ends here, nothing is lost.`;
  }
  return `Autobuild itself failed; the work up to the last turn is saved. ${(error as Error).stack ?? error}`;
}

/** An agent's hook calls the same bundle before an edit: `action.js hook claude`. */
async function answerHook(name: string, env: NodeJS.ProcessEnv): Promise<void> {
  const agent = agentNamed(name);
  const answer = agent
    ? await runHook(agent, readFileSync(0, 'utf8'), env.AUTOBUILD_GATE)
    : { stdout: '', stderr: `there is no agent ${name}\n`, exitCode: 2 };
  process.stdout.write(answer.stdout);
  process.stderr.write(answer.stderr);
  process.exitCode = answer.exitCode;
}

async function runAction(): Promise<void> {
  const log = createActionLog(
    (text) => void process.stdout.write(text),
    () => randomBytes(32).toString('hex'),
  );
  try {
    await main(process.env, log);
  } catch (error) {
    if (error instanceof RunOverError) return writeRunOver(process.env, log, error.message, error.status);
    if (error instanceof JobOverError) return writeRunOver(process.env, log, describe(error), 'replaced');
    log.annotate('error', describe(error));
    process.exitCode = 1;
  } finally {
    log.close();
  }
}

if (process.argv[2] === 'hook') await answerHook(process.argv[3] ?? '', process.env);
else await runAction();
