import type { RunPhase } from '../contracts/run-state.ts';
import type { JobKind } from './job-api.ts';

/**
 * One request to Actions to start a job. It is stored with the decision that asks for it, so that a run which should have a job
 * always has a record that says how far its job got.
 */
export interface Dispatch {
  /** The operation id of the effect that starts it. */
  op: string;
  run: string;
  /** The number of the job it was decided for. A verification has the number of the job whose work it checks. */
  job: number;
  kind: JobKind;
  /** The verification that it was decided for. */
  verification?: string;
  decided_at: string;
  /** When GitHub was first asked. From then on the workflow run may exist. */
  requested_at?: string;
  /** When GitHub accepted it, with or without the id of the workflow run. */
  answered_at?: string;
  /** The id of the workflow run. GitHub does not always return it. */
  actions_run?: number;
  /** The attempt of the workflow run that holds the job's token. */
  attempt?: number;
  /** When a workflow run first presented the ticket. */
  claimed_at?: string;
  /** When the job's main step began. */
  working_at?: string;
  /** The last sign of life. */
  heard_at?: string;
  /** Since when the issue shows that the job is silent. */
  silent_at?: string;
  /** When its stop was first tried while it worked, because its run has ended. */
  stopping_at?: string;
  ended_at?: string;
  /** Why it ended, for people. */
  outcome?: string;
}

/** The outcome of a dispatch whose job Autobuild stops itself. The outcome is recorded first, the end when Actions took the cancel. */
export const STOPPED = 'stopped by Autobuild';

/**
 * The job is to end, though its machine may still wait or run, because Actions has not taken the cancel yet. R-6: it is no live
 * job, so its successor does not wait for it. Its ticket and token are revoked before the successor is asked for: it gets no
 * orders, starts no agent, and nothing that it says counts. Its machine is no matter either, because the workflow's concurrency
 * group, one for each issue, gives the successor its machine when this one is gone.
 */
export function isCondemned({ outcome, ended_at }: Dispatch): boolean {
  return outcome !== undefined && ended_at === undefined;
}

export type DispatchChange = Partial<
  Pick<
    Dispatch,
    | 'requested_at'
    | 'answered_at'
    | 'actions_run'
    | 'attempt'
    | 'claimed_at'
    | 'heard_at'
    | 'stopping_at'
    | 'ended_at'
    | 'outcome'
  > & { working_at: string | undefined; silent_at: string | undefined }
>;

export interface Dispatches {
  find(op: string): Promise<Dispatch | undefined>;
  /** The newest dispatch for one job of the run. */
  ofJob(run: string, job: number, kind: JobKind): Promise<Dispatch | undefined>;
  /** Dispatches of the run that have not ended, oldest first. */
  open(run: string): Promise<Dispatch[]>;
  /** Runs of this phase whose job has begun to work and has not ended. */
  atWork(phase: RunPhase): Promise<string[]>;
  /** The newest dispatch of the run whose job claimed its ticket. */
  newestClaimed(run: string): Promise<Dispatch | undefined>;
  /** The newest dispatches of the run, newest first. */
  ofRun(run: string, limit: number): Promise<Dispatch[]>;
  ofActionsRun(id: number): Promise<Dispatch | undefined>;
  /** False if there is no such dispatch, or if it has ended and the change does not say how. */
  change(op: string, change: DispatchChange): Promise<boolean>;
}
