import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Contexts, fillIn, isWanted } from '../actions/expressions.ts';
import type { Conclusion } from '../actions/job.ts';
import type { WorkflowStep } from '../actions/workflow-file.ts';
import { takeVariables } from './command-files.ts';
import type { Machine } from './machine.ts';
import { isOurs, performAction, performStep } from './perform-step.ts';

interface StepResult {
  outputs: Record<string, string>;
  outcome: 'success' | 'failure' | 'skipped';
  conclusion: 'success' | 'failure' | 'skipped';
}

/** GitHub measures outputs in UTF-16. */
const MAX_OUTPUT_CHARACTERS = (1024 * 1024) / 2;
const SHOWN_CHARACTERS = 500;

/** Runs the steps of a job, and gives its outputs. */
export async function runSteps(
  machine: Machine,
): Promise<{ conclusion: Conclusion; outputs: Record<string, string> }> {
  const { job, log, cancelled, killed } = machine;
  const { steps } = job.definition;
  const results: Record<string, StepResult> = {};
  let ok = true;
  /** Steps of ours that began, in that order. */
  const begun = new Set<WorkflowStep>();

  const contextsOf = (step?: WorkflowStep): Contexts => {
    const base = contextsOfJob(machine, ok, results);
    const env = { ...envOfJob(machine, base), ...machine.jobEnv };
    const stepEnv = fillAll(step?.env ?? {}, { ...base, env });
    return { ...base, env: { ...env, ...stepEnv } };
  };

  async function perform(step: WorkflowStep, run: Perform): Promise<void> {
    const contexts = contextsOf(step);
    log.write(`##[group]${titleOf(step, contexts)}\n`);
    const env = { ...(contexts.env as Record<string, string>), ...stateOf(machine, step) };
    const passed = await run(env, contexts);
    if (killed.aborted) return;
    const outputs = takeFiles(machine, step);
    const isForgiven = String(fillIn(String(step['continue-on-error'] ?? ''), contexts)) === 'true';
    if (!passed) log.write('##[error]The step failed.\n');
    ok &&= passed || isForgiven;
    if (step.id === undefined) return;
    results[step.id] = {
      outputs: { ...results[step.id]?.outputs, ...outputs },
      outcome: passed ? 'success' : 'failure',
      conclusion: passed || isForgiven ? 'success' : 'failure',
    };
  }

  const runFile = (step: WorkflowStep, file: string) =>
    perform(step, (env, contexts) => performAction(machine, step, file, env, contexts));
  const { pre, post } = machine.action;
  // As in Actions: `pre` of all steps first, in their order; `post` last, in the reverse order, also after a failure or a cancel.
  for (const step of steps.filter(isOurs)) {
    if (!pre || cancelled.aborted) break;
    begun.add(step);
    await runFile(step, pre);
  }
  for (const step of steps) {
    if (killed.aborted) break;
    const { secrets: _, ...without } = contextsOf();
    const status = { success: ok && !cancelled.aborted, failure: !ok, cancelled: cancelled.aborted };
    if (!isWanted(step.if, without, status)) {
      if (step.id !== undefined)
        results[step.id] = { outputs: {}, outcome: 'skipped', conclusion: 'skipped' };
      continue;
    }
    if (isOurs(step)) begun.add(step);
    await perform(step, (env, contexts) => performStep(machine, step, env, contexts));
  }
  for (const step of [...begun].toReversed()) if (post && !killed.aborted) await runFile(step, post);
  const outputs = killed.aborted ? {} : takeOutputs(machine, contextsOf());
  return { conclusion: ok && outputs && !killed.aborted ? 'success' : 'failure', outputs: outputs ?? {} };
}

type Perform = (env: Record<string, string>, contexts: Contexts) => Promise<boolean>;

/** Commands are shown as they run, with what the caller put into them. */
function titleOf({ name, uses, run = 'step' }: WorkflowStep, contexts: Contexts): string {
  return name ?? uses ?? String(fillIn(run, contexts)).trim().slice(0, SHOWN_CHARACTERS);
}

function contextsOfJob(
  { job, home, workspace, files }: Machine,
  ok: boolean,
  steps: Record<string, StepResult>,
): Contexts {
  return {
    ...job.contexts,
    github: { ...job.contexts.github, workspace, event_path: files.event },
    job: { status: ok ? 'success' : 'failure' },
    runner: {
      os: 'Linux',
      arch: 'X64',
      name: 'sandbox',
      temp: join(home, 'temp'),
      environment: 'github-hosted',
    },
    steps,
  };
}

function envOfJob({ job }: Machine, contexts: Contexts): Record<string, string> {
  const ofFile = fillAll(job.fileEnv, contexts);
  return { ...ofFile, ...fillAll(job.definition.env, { ...contexts, env: ofFile }) };
}

function fillAll(templates: Record<string, string>, contexts: Contexts): Record<string, string> {
  return Object.fromEntries(
    Object.entries(templates).map(([name, value]) => [name, fillIn(value, contexts)]),
  );
}

/** State goes from a step to its own later parts only, in memory. */
function stateOf({ states }: Machine, step: WorkflowStep): Record<string, string> {
  return Object.fromEntries(
    Object.entries(states.get(step) ?? {}).map(([key, value]) => [`STATE_${key}`, value]),
  );
}

/** Applies what a step wrote for itself and for the steps after it, and gives its outputs. */
function takeFiles(machine: Machine, step: WorkflowStep): Record<string, string> {
  const { files, jobEnv, states, path } = machine;
  states.set(step, { ...states.get(step), ...takeVariables(files.state).values });
  Object.assign(jobEnv, takeVariables(files.env).values);
  const added = readFileSync(files.path, 'utf8').split('\n').filter(Boolean).toReversed();
  if (added.length > 0) jobEnv.PATH = [...added, path].join(':');
  const { text, values } = takeVariables(files.output);
  machine.output += text;
  return values;
}

/** The outputs of the job. Actions leaves out those that contain a secret, and fails the job if they are too large. */
function takeOutputs({ job, log }: Machine, contexts: Contexts): Record<string, string> | undefined {
  const filled = Object.entries(fillAll(job.definition.outputs, contexts)).filter(([name, value]) => {
    const isSafe = log.hide(value) === value;
    if (!isSafe) log.write(`##[warning]Skip output '${name}' since it may contain secret.\n`);
    return isSafe && value !== '';
  });
  const characters = filled.reduce((sum, [, value]) => sum + value.length, 0);
  if (characters <= MAX_OUTPUT_CHARACTERS) return Object.fromEntries(filled);
  log.write(`##[error]The outputs of the job have ${characters} characters, more than 1 MB in UTF-16.\n`);
  return undefined;
}
