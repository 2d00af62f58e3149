import type { Commit } from './ports.ts';
import type { RunTarget } from './run-target.ts';

export interface HostedCommit extends Commit {
  /** Only with the first commit of a run. */
  target?: RunTarget;
  /** Idempotency keys of the handled inputs, such as `comment:<id>`. A key that was seen before makes the commit a no-op. */
  seen?: string[];
}
