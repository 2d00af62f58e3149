import type { Outgoing } from '../../core/contracts/effect.ts';
import { GitHubError } from '../../core/ports/github-port.ts';
import { ASKED_TO_WAIT } from '../../core/ports/outbox.ts';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 600_000;
/** About two hours of retries, enough for an hour's outage of GitHub. */
const MOST_ATTEMPTS = 18;

/** Several attempts, because a permission that was just granted may not have propagated yet. */
export const REFUSED_ATTEMPTS = 3;

const REFUSED = 'refused: ';

/**
 * The attempts that count for giving up. A first refusal after failures of another kind is not a series of refusals, and one
 * refusal alone ends nothing.
 */
export function countAttempts(
  error: unknown,
  { attempts, last_error }: { attempts: number; last_error?: string },
): number {
  const isFirst = last_error !== undefined && !last_error.startsWith(REFUSED);
  return isFirst && isRefused(error) ? Math.min(attempts, REFUSED_ATTEMPTS - 1) : attempts;
}

function isRefused(error: unknown): boolean {
  const inner = innerError(error);
  return inner instanceof GitHubError && !inner.unreachable && isRefusal(inner);
}

/** The time until the next attempt: the one GitHub asks for, or a back-off. */
export function waitFor(error: unknown, attempts: number): number {
  const asked = error instanceof GitHubError && error.retryAfter ? error.retryAfter * 1_000 : 0;
  return Math.max(asked, Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, attempts - 1)));
}

/** True if the item is not retried any more. A refusal rarely resolves with time. */
export function isGivenUp(error: unknown, attempts: number): boolean {
  return isUseless(error, attempts) || (isRefused(error) && attempts >= REFUSED_ATTEMPTS);
}

/**
 * what people read may be the last word on its matter, because nothing is written in its place once the run waits or has
 * ended: the issue would say for ever that the run works, or never show the question. So a refusal does not end these attempts.
 * It ends those of a deed, which is explained to people instead.
 */
const IS_WORD: Readonly<Record<Outgoing['type'], boolean>> = {
  update_status: true,
  ask: true,
  close_question: true,
  notify: true,
  show_review: true,
  reply: true,
  notice: true,
  show_receipt: true,
  delete_comment: true,
  stop_job: false,
  stop_verification: false,
  dispatch_job: false,
  dispatch_verification: false,
  react: false,
  publish: false,
  forget_inputs: false,
  run_ci: false,
  describe_pull: false,
  answer_remarks: false,
  collect_revision: false,
  show_ci: false,
  settle_pull: false,
  save_blocked_report: false,
};

export function isEffectGivenUp({ type }: Pick<Outgoing, 'type'>, error: unknown, attempts: number): boolean {
  return IS_WORD[type] ? isUseless(error, attempts) : isGivenUp(error, attempts);
}

/** 404 and 409 may resolve with time. */
function isUseless(error: unknown, attempts: number): boolean {
  const inner = innerError(error);
  if (attempts >= MOST_ATTEMPTS) return true;
  return inner instanceof GitHubError && (inner.unreachable || inner.status === 410 || inner.status === 422);
}

/** Whether GitHub will not take the call at all, as opposed to not now. A call on which only the looks depend is let go then. */
export function isRefusedForGood(error: unknown): boolean {
  if (!(error instanceof GitHubError) || error.retryAfter !== undefined) return false;
  return [403, 404, 410, 413, 422].includes(error.status);
}

/** Whether a permission or setting refuses the call. A rate limit is also a 403, but has a time to retry after. */
export function isRefusal(error: GitHubError): boolean {
  return error.status === 403 && error.retryAfter === undefined;
}

export function describeError(error: unknown): string {
  const inner = innerError(error);
  const text = inner instanceof Error ? inner.message : String(inner);
  const isLimited = inner instanceof GitHubError && inner.retryAfter !== undefined;
  return `${isLimited ? ASKED_TO_WAIT : isRefused(error) ? REFUSED : ''}${text}`.slice(0, 500);
}

function innerError(error: unknown): unknown {
  return error instanceof AggregateError ? error.errors[0] : error;
}
