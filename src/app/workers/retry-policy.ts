import { GitHubError } from '../../core/ports/github-port.ts';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 600_000;
/** About two hours of retries, enough for an hour's outage of GitHub. */
const MOST_ATTEMPTS = 18;

/** Several attempts, because a permission that was just granted may not have propagated yet. */
export const REFUSED_ATTEMPTS = 3;

/** The time until the next attempt: the one GitHub asks for, or a back-off. */
export function waitFor(error: unknown, attempts: number): number {
  const asked = error instanceof GitHubError && error.retryAfter ? error.retryAfter * 1_000 : 0;
  return Math.max(asked, Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, attempts - 1)));
}

/** True if the item is not retried any more. */
export function isGivenUp(error: unknown, attempts: number): boolean {
  return attempts >= MOST_ATTEMPTS || isFinal(error, attempts);
}

/** Whether retrying is useless. 404 and 409 may resolve with time; a refusal rarely does. */
function isFinal(error: unknown, attempts: number): boolean {
  const inner = innerError(error);
  if (!(inner instanceof GitHubError)) return false;
  if (inner.unreachable || inner.status === 410 || inner.status === 422) return true;
  return isRefusal(inner) && attempts >= REFUSED_ATTEMPTS;
}

/** Whether a permission or setting refuses the call. A rate limit is also a 403, but has a time to retry after. */
export function isRefusal(error: GitHubError): boolean {
  return error.status === 403 && error.retryAfter === undefined;
}

export function describeError(error: unknown): string {
  const inner = innerError(error);
  return (inner instanceof Error ? inner.message : String(inner)).slice(0, 500);
}

function innerError(error: unknown): unknown {
  return error instanceof AggregateError ? error.errors[0] : error;
}
