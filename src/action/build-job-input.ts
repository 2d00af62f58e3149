import type { JobLink } from '../core/ports/job-link.ts';
import type { Box } from '../runner/box/box.ts';
import type { SharedSecret } from '../runner/job/job.ts';
import type { ActionLog } from '../runner/output/workflow-commands.ts';
import type { CheckedOut } from './open-repository.ts';

export interface BuildJobInput {
  link: JobLink;
  log: ActionLog;
  worktree: string;
  /** A directory outside the worktree. */
  runDir: string;
  repository: CheckedOut;
  env: Record<string, string>;
  /** Agent and checks run in it. */
  box: Box;
  jobMinutes: number;
  /** The one Actions secret with all values for the agent. Left out: the workflow passes each secret by its name. */
  sharedSecret?: SharedSecret;
  /** Secrets that are in `env` from the start: the checks do not get them, and no claim and no file of the work shows them. */
  secrets?: {
    names: readonly string[];
    values: readonly string[];
    /** Those of the values that a question asked for as secrets. */
    asked?: readonly string[];
  };
  startedAt: Date;
  now(): Date;
  parking: AbortSignal;
  /** The command line that starts this program again, for an agent's hook. */
  self: string[];
}
