import { readYaml } from '../config/read-yaml.ts';
import type { Dispatch } from '../core/ports/dispatches.ts';
import type { RunTarget } from '../core/ports/run-target.ts';
import { workedFor } from '../core/worked-for.ts';
import type { AppDependencies } from './dependencies.ts';

/** The limit of a job that sets none. */
const DEFAULT_MINUTES = 360;
/** Actions does not count to the second. */
const TOLERANCE_MS = 60_000;
/** Actions gives a job up that has waited this long for a runner. */
const QUEUED_MS = 24 * 3_600_000;
const QUEUE_TOLERANCE_MS = 15 * 60_000;
const MAX_CHARACTERS = 256 * 1024;

/**
 * Actions calls a job `cancelled` both when a person cancels it and when its time is over. The time that it had tells them apart.
 * Undefined means that a person cancelled it.
 */
export async function whyCancelled(
  deps: AppDependencies,
  target: RunTarget,
  { kind, claimed_at, answered_at }: Dispatch,
  { actions_run, attempt, ended_at }: { actions_run: number; attempt: number; ended_at: string },
): Promise<string | undefined> {
  const since = (at: string) => Date.parse(ended_at) - Date.parse(at);
  const github = await deps.github(target);
  const worked = workedFor(await github.workflowJobs(actions_run, attempt));
  if (worked === undefined && claimed_at === undefined) {
    const waitedTooLong = answered_at !== undefined && since(answered_at) >= QUEUED_MS - QUEUE_TOLERANCE_MS;
    return waitedTooLong ? 'the job waited 24 hours for a runner' : undefined;
  }
  const text = await github.file(`.github/workflows/${target.workflow}`, target.default_branch);
  const minutes = timeoutIn(text ?? '', kind);
  // Where GitHub has no times of the job, the claim is the first that is known of it. A webhook that was stored by an older version
  // has no time of the end, and is a person's cancel.
  const took = worked ?? since(claimed_at ?? ended_at);
  if (!(took >= minutes * 60_000 - TOLERANCE_MS)) return undefined;
  return `the job hit its time limit of ${minutes} minutes`;
}

/** `timeout-minutes` of the job for this kind of work. An expression or an unreadable file counts as the default. */
function timeoutIn(workflow: string, kind: Dispatch['kind']): number {
  const read = workflow.length <= MAX_CHARACTERS ? readYaml(workflow, 1) : undefined;
  const jobs = read?.ok ? Object.entries(fieldsOf(fieldsOf(read.value).jobs)) : [];
  const isOfKind = ([name, job]: [string, unknown]) =>
    name === kind || String(fieldsOf(job).if ?? '').includes(`'${kind}'`);
  const minutes = fieldsOf(jobs.find(isOfKind)?.[1])['timeout-minutes'];
  return typeof minutes === 'number' && minutes > 0 ? minutes : DEFAULT_MINUTES;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
