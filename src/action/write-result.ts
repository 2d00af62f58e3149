import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { type JobRecord, renderStepSummary } from '../comments/github/render-step-summary.ts';
import type { Verification } from '../core/contracts/verification.ts';
import type { JobLink } from '../core/ports/job-link.ts';
import type { JobEnd } from '../runner/job/run-job.ts';
import { type ActionLog, formatOutput } from '../runner/output/workflow-commands.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export const ENDS: Readonly<Record<JobEnd, string>> = {
  finished: 'finished',
  parked: 'paused, the work is saved',
  handed_over: 'handed over to a successor before the time limit',
};

export function describeVerified({ ok }: Verification): { status: string; end: string } {
  return ok
    ? { status: 'verified', end: 'verified' }
    : { status: 'not_verified', end: 'the checks do not pass' };
}

/** Writes the step summary and the outputs, for people and later steps. */
export function writeResult(
  env: Environment,
  log: ActionLog,
  { brief, place, kind }: JobLink['claimed'],
  status: string,
  record: Omit<JobRecord, 'title' | 'run' | 'job' | 'kind' | 'agent'>,
): void {
  const { run, job, agent, task } = brief;
  writeSummary(env, log, { title: task.title, run, job, kind, agent, ...record });
  const pulls = `${env.GITHUB_SERVER_URL ?? 'https://github.com'}/${place.owner}/${place.repo}/pulls`;
  writeOutputs(env, {
    status,
    run,
    'pull-request': `${pulls}?q=${encodeURIComponent(`head:autobuild/issue-${place.issue}`)}`,
  });
}

export function writeSummary(env: Environment, log: ActionLog, record: JobRecord): void {
  if (env.GITHUB_STEP_SUMMARY)
    appendFileSync(env.GITHUB_STEP_SUMMARY, `${log.hide(renderStepSummary(record))}\n`);
}

export function writeOutputs(env: Environment, outputs: Record<string, string>): void {
  if (!env.GITHUB_OUTPUT) return;
  const word = () => randomBytes(16).toString('hex');
  const text = Object.entries(outputs).map(([name, value]) => formatOutput(name, value, word()));
  appendFileSync(env.GITHUB_OUTPUT, text.join(''));
}

/** A run that was cancelled while its job waited for a runner, or a job that was replaced, is no failure of the job. */
export function writeRunOver(env: Environment, log: ActionLog, message: string, status: string): void {
  log.annotate('notice', message);
  if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, `${message}\n`);
  writeOutputs(env, { status });
}
