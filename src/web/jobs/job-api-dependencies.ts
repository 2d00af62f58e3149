import type { Rules } from '../../core/contracts/rules.ts';
import type { ClaimDependencies } from './claim-job.ts';

export interface JobApiDependencies extends ClaimDependencies {
  rules: Rules;
  /** Aborts when the server stops, which ends all long polls. */
  closing: AbortSignal;
  limits?: { longPolls?: number; uploads?: number };
}
