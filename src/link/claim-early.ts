import { EarlyClaimResponse, type JobKind } from '../core/ports/job-api.ts';
import { newNonce } from './new-nonce.ts';
import { postClaim } from './post-claim.ts';
import { type RetrySettings, retryOptions } from './retry-request.ts';

interface EarlyClaim extends RetrySettings {
  baseUrl: string;
  ticket: string;
  actionsRun: number;
  attempt: number;
}

/** Reserves the job for the returned nonce. It gives no token, so nothing that later steps could find opens the run. */
export async function claimEarly(
  options: EarlyClaim,
  hide: (secret: string) => void,
): Promise<{ nonce: string; kind: JobKind }> {
  const nonce = newNonce();
  // Before it is anywhere: with debug logging the runner prints the state that a step saves.
  hide(nonce);
  const answer = await postClaim(retryOptions(options), options.baseUrl, {
    ticket: options.ticket,
    actions_run_id: options.actionsRun,
    attempt: options.attempt,
    nonce,
    step: 'pre',
  });
  return { nonce, kind: EarlyClaimResponse.parse(answer).kind };
}
