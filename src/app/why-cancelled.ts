import { readYaml } from '../config/read-yaml.ts';
import type { Dispatch } from '../core/ports/dispatches.ts';
import type { WorkflowJob } from '../core/ports/github/workflow-port.ts';
import type { GitHub } from '../core/ports/github-port.ts';
import type { RunTarget } from '../core/ports/run-target.ts';
import { workedFor } from '../core/worked-for.ts';
import type { AppDependencies } from './dependencies.ts';

/** The limit of a job that sets none, and of every job on a machine of GitHub. */
const MOST_MINUTES = 360;
const GITHUBS_OWN = /^(?:ubuntu|windows|macos)-/;
/** Actions does not count to the second. */
const TOLERANCE_MS = 60_000;
/** Actions gives a job up that has waited this long for a runner. */
const QUEUED_MS = 24 * 3_600_000;
const QUEUE_TOLERANCE_MS = 15 * 60_000;
const MAX_CHARACTERS = 256 * 1024;
/** `1h30m0s`, or `90 minutes` in older versions. */
const OVER_TIME =
  /exceeded the maximum execution time of (?:(?:(?<h>\d{1,4})h)?(?:(?<m>\d{1,2})m)?\d{1,2}s|(?<minutes>\d{1,6}) minutes)/;

/**
 * Actions calls a job `cancelled` both when a person cancels it and when its time is over. The messages on its page tell them apart,
 * and else the time that it had. Undefined means that a person cancelled it.
 */
export async function whyCancelled(
  deps: AppDependencies,
  target: RunTarget,
  { kind, claimed_at, answered_at }: Dispatch,
  { actions_run, attempt, ended_at }: { actions_run: number; attempt: number; ended_at: string },
): Promise<string | undefined> {
  const since = (at: string) => Date.parse(ended_at) - Date.parse(at);
  const github = await deps.github(target);
  const jobs = await github.workflowJobs(actions_run, attempt);
  const worked = workedFor(jobs);
  if (worked === undefined && claimed_at === undefined) {
    const waitedTooLong = answered_at !== undefined && since(answered_at) >= QUEUED_MS - QUEUE_TOLERANCE_MS;
    return waitedTooLong ? 'the job waited 24 hours for a runner' : undefined;
  }
  const told = await toldLimit(github, jobs);
  if (told !== undefined) return `the job hit its time limit of ${told} minutes`;
  // As the job had it, because people raise the limit when it is hit.
  const commit = (await github.workflowRun(actions_run))?.commit ?? target.default_branch;
  const text = await github.file(`.github/workflows/${target.workflow}`, commit);
  const minutes = timeoutIn(text ?? '', kind);
  // Where GitHub has no times of the job, the claim is the first that is known of it. A webhook that was stored by an older version
  // has no time of the end, and is a person's cancel.
  const took = worked ?? since(claimed_at ?? ended_at);
  if (!(took >= minutes * 60_000 - TOLERANCE_MS)) return undefined;
  return `the job hit its time limit of ${minutes} minutes`;
}

/** The limit in minutes, as GitHub tells it. */
async function toldLimit(github: GitHub, jobs: readonly WorkflowJob[]): Promise<number | undefined> {
  for (const { id, conclusion } of jobs) {
    if (conclusion !== 'cancelled') continue;
    for (const message of await github.jobMessages(id)) {
      const over = OVER_TIME.exec(message)?.groups;
      if (over) return Number(over.minutes ?? Number(over.h ?? 0) * 60 + Number(over.m ?? 0));
    }
  }
  return undefined;
}

/** `timeout-minutes` of the job for this kind of work. An expression or an unreadable file counts as the default. */
function timeoutIn(workflow: string, kind: Dispatch['kind']): number {
  const read = workflow.length <= MAX_CHARACTERS ? readYaml(workflow, 1) : undefined;
  const jobs = read?.ok ? Object.entries(fieldsOf(fieldsOf(read.value).jobs)) : [];
  const isOfKind = ([name, job]: [string, unknown]) =>
    name === kind || String(fieldsOf(job).if ?? '').includes(`'${kind}'`);
  const job = fieldsOf(jobs.find(isOfKind)?.[1]);
  const minutes = job['timeout-minutes'];
  if (typeof minutes !== 'number' || minutes <= 0) return MOST_MINUTES;
  return GITHUBS_OWN.test(String(job['runs-on'])) ? Math.min(minutes, MOST_MINUTES) : minutes;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
