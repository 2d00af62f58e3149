import type { AppLog } from '../app/dependencies.ts';

/** The Actions job that this desk runs in, as the entrypoint read it from the environment. */
export interface DeskJob {
  /** `remind` is the part `desk` in its daily round, for all issues. */
  part: 'desk' | 'deliver' | 'remind';
  owner: string;
  repo: string;
  repoId: number;
  /** The id of the Actions run, and its attempt. */
  actionsRun: number;
  attempt: number;
  /** The file name of the workflow that this desk starts for later rounds. */
  workflow: string;
  event: { name: string; payload: unknown };
  label: string;
  /** For what the repository's settings do not name. */
  defaults: { agent?: string; checks: string[] };
  /** The URL of GitHub's web pages, without a trailing slash. */
  webUrl: string;
  /** For the temporary database, of this job alone. */
  directory: string;
  /** Actions ends this job a little later. */
  endsAt: Date;
  now(): Date;
  sleep(ms: number): Promise<void>;
  log: AppLog;
}
