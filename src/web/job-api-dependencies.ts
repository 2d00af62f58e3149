import type { Rules } from '../core/contracts/rules.ts';
import type { ClaimParts } from './claim-job.ts';

export interface JobApiParts extends ClaimParts {
  rules: Rules;
  /** Aborts when the server stops: whoever waits is answered at once. */
  closing: AbortSignal;
  limits?: { longPolls?: number; uploads?: number };
}
