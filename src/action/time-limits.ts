import { DEFAULT_JOB_MINUTES } from '../core/default-job-minutes.ts';
import { ActionError } from './action-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Below `timeout-minutes` of the job that verifies, as the workflow is made. */
const VERIFY_MINUTES = 55;

export function jobMinutes(env: Environment): number {
  const minutes = Number(env.AUTOBUILD_JOB_MINUTES || DEFAULT_JOB_MINUTES);
  if (minutes > 0) return minutes;
  throw new ActionError(
    'AUTOBUILD_JOB_MINUTES is not a number of minutes.',
    'Set it to one below timeout-minutes.',
  );
}

export function verifyUntil(env: Environment, startedAt: Date): Date {
  const minutes = Number(env.AUTOBUILD_JOB_MINUTES) || VERIFY_MINUTES;
  return new Date(startedAt.getTime() + minutes * 60_000);
}
