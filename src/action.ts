import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ActionError } from './action/action-error.ts';
import { runBuildJob } from './action/build-job.ts';
import { describeReverted, watchCommandFiles } from './action/command-files.ts';
import { describeFailure } from './action/describe-failure.ts';
import { jobEnvironment } from './action/job-environment.ts';
import { openActionBox } from './action/open-action-box.ts';
import { openRepository } from './action/open-repository.ts';
import { readTicket } from './action/read-ticket.ts';
import { loadStepState } from './action/step-state.ts';
import { runVerifyJob } from './action/verify-job.ts';
import { agentNamed } from './agents/registry.ts';
import { type JobRecord, renderStepSummary } from './comments/github/render-step-summary.ts';
import { isolationWords } from './comments/text/isolation.ts';
import { isStopCertain } from './core/contracts/isolation.ts';
import { DEFAULT_JOB_MINUTES } from './core/default-job-minutes.ts';
import { createHttpLink, type HttpLink, JobOverError } from './link/http.ts';
import { RunOverError } from './link/post-claim.ts';
import { isForEveryProgram } from './runner/agent/agent-environment.ts';
import { runHook } from './runner/gate/run-hook.ts';
import { type ActionLog, createActionLog, formatOutput } from './runner/output/workflow-commands.ts';
import { forgetEnvironment } from './runner/process/forget-environment.ts';

/** Below `timeout-minutes` of the job that verifies, as the workflow is made. */
const VERIFY_MINUTES = 55;

/** The action. Reads the environment, wires one job, and is the only place where errors are caught. */
async function main(env: NodeJS.ProcessEnv, log: ActionLog, endFiles: () => void): Promise<void> {
  const { kind, ...presented } = readTicket(env, log);
  const { nonce, began } = loadStepState(env);
  // Actions counts the steps before this one as time of the job.
  const startedAt = new Date(began ?? Date.now());
  const { now } = presented;
  const worktree = findWorktree(env);
  const parking = parkOnSignals();
  const link = await createHttpLink({ ...presented, nonce });
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
    const runDir = join(env.RUNNER_TEMP || tmpdir(), `autobuild-${brief.run}-${brief.job}`);
    mkdirSync(runDir, { recursive: true, mode: 0o700 });
    const self = [process.execPath, process.argv[1] ?? ''];
    const box = openActionBox({ env, worktree, runDir, mode: repository.config.isolation, self });
    log.annotate(
      isStopCertain(box.level) ? 'notice' : 'warning',
      [isolationWords(box.level), ...box.why].join('; '),
    );
    const input = { link, log, worktree, repository, env: jobEnvironment(env), box, now, parking };
    if (kind === 'verify') {
      const minutes = Number(env.AUTOBUILD_JOB_MINUTES) || VERIFY_MINUTES;
      const deadline = new Date(startedAt.getTime() + minutes * 60_000);
      const { verification, withBase, leftOut } = await runVerifyJob({
        ...input,
        run: brief.run,
        headSha: place.head_sha,
        checks: brief.checks,
        runDir,
        deadline,
      });
      endFiles();
      const end = verification.ok ? 'verified' : 'the checks do not pass';
      return writeResult(env, log, link, verification.ok ? 'verified' : 'not_verified', {
        end,
        turns: [],
        verification,
        withBase,
        leftOut,
      });
    }
    const jobMinutes = Number(env.AUTOBUILD_JOB_MINUTES || DEFAULT_JOB_MINUTES);
    if (!(jobMinutes > 0))
      throw new ActionError(
        'AUTOBUILD_JOB_MINUTES is not a number of minutes.',
        'Set it to one below timeout-minutes.',
      );
    const { end, history, leftOut } = await runBuildJob({
      ...input,
      runDir,
      jobMinutes,
      startedAt,
      self,
    });
    endFiles();
    const orders = await link.orders();
    const status = orders.do === 'stop' ? orders.status : end;
    writeResult(env, log, link, status, { end: ENDS[end], ...history, leftOut });
  } finally {
    await link.close();
  }
}

const ENDS = {
  finished: 'finished',
  parked: 'paused, the work is saved',
  handed_over: 'handed over to a successor before the time limit',
};

/** Writes the step summary and the outputs, for people and later steps. */
function writeResult(
  env: NodeJS.ProcessEnv,
  log: ActionLog,
  { claimed }: HttpLink,
  status: string,
  record: Omit<JobRecord, 'title' | 'run' | 'job' | 'kind' | 'agent'>,
): void {
  const { brief, place, kind } = claimed;
  const { run, job, agent, task } = brief;
  if (env.GITHUB_STEP_SUMMARY) {
    const summary = renderStepSummary({ title: task.title, run, job, kind, agent, ...record });
    appendFileSync(env.GITHUB_STEP_SUMMARY, `${log.hide(summary)}\n`);
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

/** GitHub's runner finds by it the processes that a job leaves behind, and ends them. It is no secret. */
const TRACKING_ID = 'RUNNER_TRACKING_ID';

/** This process and what it starts keep only what programs need, because each of them could be asked for its environment. */
function takeEnvironment(): NodeJS.ProcessEnv {
  const env = { ...process.env };
  forgetEnvironment(process.env, (name) => name === TRACKING_ID || isForEveryProgram(name));
  return env;
}

async function runAction(): Promise<void> {
  const log = createActionLog(
    (text) => void process.stdout.write(text),
    () => randomBytes(32).toString('hex'),
  );
  const env = takeEnvironment();
  const files = watchCommandFiles(env);
  const endFiles = () => {
    for (const name of files.revert()) log.annotate('warning', describeReverted(name));
  };
  try {
    await main(env, log, endFiles);
  } catch (error) {
    endFiles();
    if (error instanceof RunOverError) return writeRunOver(env, log, error.message, error.status);
    if (error instanceof JobOverError) return writeRunOver(env, log, describeFailure(error), 'replaced');
    log.annotate('error', describeFailure(error));
    process.exitCode = 1;
  } finally {
    log.close();
  }
}

if (process.argv[2] === 'hook') await answerHook(process.argv[3] ?? '', process.env);
else await runAction();
