import { GitHubError } from '../core/ports/github-port.ts';
import type { DeskJob } from './desk-job.ts';

/** GitHub may fail for a moment. An event comes once, and the next desk may come days later. */
const TRIES = 3;
const FIRST_WAIT_MS = 1_000;

/** Does the work again as long as it fails with an error that passes. */
export async function tryAgain({ sleep }: Pick<DeskJob, 'sleep'>, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= TRIES || !isPassing(error)) throw error;
      await sleep(FIRST_WAIT_MS * 2 ** (attempt - 1));
    }
  }
}

/** Reads again while parts fail with an error that passes. Parts that still cannot be read are left to the next desk. */
export async function readAgain(
  job: Pick<DeskJob, 'sleep'>,
  read: () => Promise<readonly unknown[]>,
): Promise<void> {
  const readOnce = async () => {
    const passing = (await read()).find(isPassing);
    if (passing) throw passing;
  };
  await tryAgain(job, readOnce).catch((error: unknown) => {
    if (!isPassing(error)) throw error;
  });
}

function isPassing(error: unknown): boolean {
  return (
    error instanceof GitHubError &&
    error.retryAfter === undefined &&
    (error.status === 0 || error.status >= 500)
  );
}
