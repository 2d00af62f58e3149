import type { ClaimDependencies } from './claim-job.ts';

export interface JobApiDependencies extends ClaimDependencies {
  /** Aborts when the server stops, which ends all long polls. */
  closing: AbortSignal;
  limits?: { longPolls?: number; uploads?: number };
}
