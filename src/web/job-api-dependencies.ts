import type { Rules } from '../core/contracts/rules.ts';
import type { ClaimDependencies } from './claim-job.ts';

export interface JobApiDependencies extends ClaimDependencies {
  rules: Rules;
  /** Aborts when the server stops: whoever waits is answered at once. */
  closing: AbortSignal;
  limits?: { longPolls?: number; uploads?: number };
}
