import type { Json } from '../github/gap.ts';
import type { Contexts } from './expressions.ts';
import type { WorkflowFile, WorkflowJob } from './workflow-file.ts';

export type Conclusion =
  | 'success'
  | 'failure'
  | 'cancelled'
  | 'skipped'
  | 'startup_failure'
  | 'action_required';

/** One run of a workflow: what started it, and at which commit. */
export interface WorkflowRun {
  id: number;
  attempt: number;
  workflow: WorkflowFile;
  /** The commit that has the workflow file. */
  sha: string;
  branch: string;
  actor: string;
  event: string;
  payload: Json;
  /** The inputs of a dispatch. */
  inputs: Record<string, string>;
}

/** A job that a machine is wanted for. Jobs whose `if:` is false never get here. */
export interface StartedJob extends WorkflowRun {
  /** Its key in the file. */
  job: string;
  /** Its name for people: `caller / job` in a called workflow. */
  jobName: string;
  definition: WorkflowJob;
  /** `env` of the file that has the job. */
  fileEnv: Record<string, string>;
  contexts: Contexts & { github: Json; secrets: Record<string, string> };
  /** GITHUB_TOKEN. It ends with the job. */
  token: string;
}

/** A machine at work on one job. */
export interface RunningJob {
  ended: Promise<Conclusion>;
  cancel(): void;
  /** Read when the job has ended. */
  outputs?(): Record<string, string>;
  /** Like a machine that loses power. */
  kill?(): void;
}
