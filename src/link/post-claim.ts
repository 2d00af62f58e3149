import type { RunStatus } from '../core/contracts/run-event.ts';
import { parseJson } from '../core/parse-json.ts';
import { type ClaimRequest, JOB_API_PATH, RunOver } from '../core/ports/job-api.ts';
import { LinkRefusedError, type RetryOptions, requestWithRetries } from './retry-request.ts';

const REQUEST_MS = 30_000;
const GONE = 410;

/** The run ended before this job began, usually by a cancel. This is not a failure, and the job has nothing to do. */
export class RunOverError extends Error {
  override name = 'RunOverError';
  readonly status: RunStatus;

  constructor(message: string, status: RunStatus, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** The URL below which the desk has its job API. */
export function jobApiOf(baseUrl: string): string {
  return `${baseUrl.replace(/\/+$/, '')}${JOB_API_PATH}`;
}

/** Presents the ticket until the desk answers. A claim may be repeated, because its nonce stays the same. */
export async function postClaim(
  retrying: RetryOptions,
  baseUrl: string,
  claim: ClaimRequest,
): Promise<unknown> {
  const answer = await requestWithRetries(retrying, {
    method: 'POST',
    url: `${jobApiOf(baseUrl)}/claim`,
    json: claim,
    timeoutMs: REQUEST_MS,
  }).catch((error: unknown) => {
    throw asRunOver(error) ?? error;
  });
  return answer.json();
}

function asRunOver(error: unknown): RunOverError | undefined {
  if (!(error instanceof LinkRefusedError) || error.status !== GONE) return undefined;
  const over = RunOver.safeParse(parseJson(error.body));
  return over.success ? new RunOverError(over.data.error, over.data.status, { cause: error }) : undefined;
}
