export interface WorkflowRun {
  id: number;
  /** Where its workflow file comes from. */
  commit: string;
  status: 'queued' | 'in_progress' | 'completed' | string;
  conclusion: string | null;
  attempt: number;
  /** The `run-name` of the workflow run, which contains the operation id. */
  name: string;
  created_at: string;
  /** When its state last changed. */
  updated_at: string;
  url: string;
}

/** A job of one attempt of a workflow run. Both times are GitHub's own. */
export interface WorkflowJob {
  id: number;
  conclusion: 'success' | 'failure' | 'cancelled' | 'skipped' | string | null;
  /** When its machine began. Undefined if it never had one. */
  began_at?: string;
  ended_at?: string;
}

/** Starts jobs in Actions, and tells what became of them. */
export interface WorkflowMethods {
  dispatchWorkflow(
    workflow: string,
    ref: string,
    inputs: Record<string, string>,
  ): Promise<{ run_id?: number }>;
  /** `disabled`: the workflow, or Actions for the whole repository, is disabled. */
  workflow(file: string): Promise<'there' | 'missing' | 'disabled'>;
  workflowRun(id: number): Promise<WorkflowRun | undefined>;
  workflowRuns(workflow: string, since: string): Promise<WorkflowRun[]>;
  /** Empty if the run does not exist any more. */
  workflowJobs(run: number, attempt: number): Promise<WorkflowJob[]>;
  /** The messages on the page of a job. Empty if they may not be read. */
  jobMessages(job: number): Promise<string[]>;
  cancelRun(id: number): Promise<void>;
}
