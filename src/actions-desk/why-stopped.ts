import type { RunState } from '../core/contracts/run-state.ts';
import type { Dispatch } from '../core/ports/dispatches.ts';

/** `timeout-minutes` of the jobs in run.yml. */
export const JOB_MINUTES = { build: 355, verify: 60 } as const;
/** Actions does not count to the second. */
const TOLERANCE_MS = 60_000;
/** Actions counts from the start of the machine, and a job says its first word a little later. */
const FIRST_WORD_MS = 5 * 60_000;

/**
 * Actions calls a job `cancelled` both when a person cancels it and when its time is over. The time that it had tells them apart.
 * Undefined means that a person cancelled it.
 */
export function whyStopped(
  { kind, claimed_at }: Dispatch,
  { job_began, updated_at }: Pick<RunState, 'job_began' | 'updated_at'>,
  [build = '', verify = '']: readonly string[],
  now: Date,
  /** As GitHub tells it, in milliseconds. */
  worked?: number,
): string | undefined {
  const stopped = build === 'cancelled' ? 'build' : verify === 'cancelled' ? 'verify' : undefined;
  if (stopped === undefined || claimed_at === undefined) return undefined;
  const limit = JOB_MINUTES[stopped];
  const reason = `the job hit its time limit of ${limit} minutes`;
  if (worked !== undefined) return worked >= limit * 60_000 - TOLERANCE_MS ? reason : undefined;
  // A build may wait for a machine for hours after its desk, and a verification begins after the last word of the build.
  const sign = kind === 'verify' ? undefined : stopped === 'build' ? job_began?.at : updated_at;
  const began = Math.max(Date.parse(claimed_at), sign === undefined ? 0 : Date.parse(sign));
  return now.getTime() - began >= limit * 60_000 - FIRST_WORD_MS ? reason : undefined;
}
