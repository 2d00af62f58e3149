import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ActionError } from './action/action-error.ts';
import { runBuildJob } from './action/build-job.ts';
import { describeReverted, watchCommandFiles } from './action/command-files.ts';
import { describeFailure } from './action/describe-failure.ts';
import { commitsOf, findWorktree, openJob, parkOnSignals } from './action/open-job.ts';
import { readTicket } from './action/read-ticket.ts';
import { loadStepState } from './action/step-state.ts';
import { jobMinutes, verifyUntil } from './action/time-limits.ts';
import { runVerifyJob } from './action/verify-job.ts';
import { describeVerified, ENDS, writeResult, writeRunOver } from './action/write-result.ts';
import { agentNamed } from './agents/registry.ts';
import { isForEveryProgram } from './core/variable-name.ts';
import { createHttpLink, JobOverError } from './link/http.ts';
import { RunOverError } from './link/post-claim.ts';
import { runHook } from './runner/gate/run-hook.ts';
import { type ActionLog, createActionLog } from './runner/output/workflow-commands.ts';
import { forgetEnvironment } from './runner/process/forget-environment.ts';

/** The action. Reads the environment, wires one job, and is the only place where errors are caught. */
async function main(env: NodeJS.ProcessEnv, log: ActionLog, endFiles: () => void): Promise<void> {
  switch (env.INPUT_PART || '') {
    case '':
      return runHostedJob(env, log, endFiles);
    case 'build':
      // Loaded here, because a job of the App needs none of it.
      return (await import('./action/no-server/build-part.ts')).runBuildPart(
        env,
        log,
        endFiles,
        parkOnSignals(),
      );
    case 'verify':
      return (await import('./action/no-server/verify-part.ts')).runVerifyPart(
        env,
        log,
        endFiles,
        parkOnSignals(),
      );
    default:
      throw new ActionError(
        `There is no part ${JSON.stringify(env.INPUT_PART)} of the action.`,
        'Keep the workflow as it came.',
      );
  }
}

/** A job that the App started: it has a ticket, and a connection to the App. */
async function runHostedJob(env: NodeJS.ProcessEnv, log: ActionLog, endFiles: () => void): Promise<void> {
  const { kind, ...presented } = readTicket(env, log);
  const { nonce, began } = loadStepState(env);
  // Actions counts the steps before this one as time of the job.
  const startedAt = new Date(began ?? Date.now());
  const parking = parkOnSignals();
  const worktree = findWorktree(env);
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
    const job = await openJob(env, log, {
      worktree,
      commits: commitsOf(place),
      run: brief.run,
      job: brief.job,
    });
    log.print(`Run ${brief.run}, job ${brief.job}: ${brief.task.title}`);
    const input = { ...job, link, parking, startedAt };
    if (kind === 'verify') {
      const deadline = verifyUntil(env, startedAt);
      const facts = { run: brief.run, headSha: place.head_sha, checks: brief.checks };
      const { verification, ...record } = await runVerifyJob({ ...input, ...facts, deadline });
      endFiles();
      const { status, end } = describeVerified(verification);
      return writeResult(env, log, claimed, status, { end, turns: [], verification, ...record });
    }
    const { end, history, leftOut } = await runBuildJob({ ...input, jobMinutes: jobMinutes(env) });
    endFiles();
    const orders = await link.orders();
    const status = orders.do === 'stop' ? orders.status : end;
    writeResult(env, log, claimed, status, { end: ENDS[end], ...history, leftOut });
  } finally {
    await link.close();
  }
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

/** A bundle of its own, because it knows GitHub and has a store, and a job has neither. */
async function runDesk(): Promise<void> {
  const { runDeskPart } = await import('./desk.ts');
  if (!(await runDeskPart(process.env, (text) => void process.stdout.write(text)))) process.exitCode = 1;
}

const PARTS_OF_DESK = new Set(['desk', 'deliver']);

if (process.argv[2] === 'hook') await answerHook(process.argv[3] ?? '', process.env);
else if (PARTS_OF_DESK.has(process.env.INPUT_PART ?? '')) await runDesk();
else await runAction();
