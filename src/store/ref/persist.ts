import { GitHubError } from '../../core/ports/github-port.ts';

const PAUSES_MS = [1_000, 3_000, 9_000];
const LONGEST_WAIT_MS = 60_000;

/** Repeats what failed for the moment only. A limit that lasts longer than a job should wait is not waited for. */
export async function persist<Result>(
  sleep: (ms: number) => Promise<void>,
  work: () => Promise<Result>,
): Promise<Result> {
  for (const pause of PAUSES_MS) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      const wait = error.retryAfter === undefined ? pause : error.retryAfter * 1_000;
      const passes = error.status >= 500 || error.retryAfter !== undefined;
      if (!passes || wait > LONGEST_WAIT_MS) throw error;
      await sleep(wait);
    }
  }
  return work();
}
