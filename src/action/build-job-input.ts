import type { HttpLink } from '../link/http.ts';
import type { ActionLog } from '../runner/output/workflow-commands.ts';
import type { CheckedOut } from './open-repository.ts';

export interface BuildParts {
  link: HttpLink;
  log: ActionLog;
  worktree: string;
  /** Outside the worktree. */
  runDir: string;
  repository: CheckedOut;
  env: Record<string, string>;
  jobMinutes: number;
  startedAt: Date;
  now(): Date;
  parking: AbortSignal;
  /** How this very program is called again, by an agent's hook. */
  self: string[];
}
