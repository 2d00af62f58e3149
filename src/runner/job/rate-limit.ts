import { setTimeout as sleep } from 'node:timers/promises';
import type { Ended } from '../agent/agent-end.ts';
import { saveCheckpoint } from '../checkpoint/checkpoint.ts';
import type { Job } from './job.ts';

/** A job costs money while it waits. */
const LONGEST_MS = 10 * 60_000;
/** For a provider that does not say how long. */
const USUAL_MS = 30_000;

/** The next turn would be refused at once if it began before the provider takes requests again. */
export function noteRateLimit(job: Job, agent: string, { reason, retry_after_s }: Ended): void {
  if (reason !== 'rate_limit') return;
  const ms = Math.min(retry_after_s === undefined ? USUAL_MS : Math.ceil(retry_after_s * 1000), LONGEST_MS);
  job.notBefore = job.now().getTime() + ms;
  saveCheckpoint(job, { not_before: new Date(job.notBefore).toISOString() });
  const text = `The model provider of ${agent} limits its requests. The next turn starts in ${Math.ceil(ms / 1000)} s.`;
  job.onProgress({ type: 'problem', text });
}

/** True if it waited, until the provider takes requests again or there are other orders than to work. */
export async function waitOutRateLimit(job: Job): Promise<boolean> {
  if (job.notBefore === undefined) return false;
  // A checkpoint is no reason to wait longer, whatever it says.
  const until = Math.min(job.notBefore, job.now().getTime() + LONGEST_MS);
  for (;;) {
    const left = until - job.now().getTime();
    if (left <= 0) break;
    if (job.parking.aborted || (await job.link.orders()).do !== 'work') return true;
    await sleep(Math.min(left, job.settings.tickMs), undefined, { signal: job.parking }).catch(
      () => undefined,
    );
  }
  job.notBefore = undefined;
  saveCheckpoint(job, { not_before: undefined });
  return true;
}
