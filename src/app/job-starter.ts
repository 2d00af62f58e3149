import type { RunState } from '../core/contracts/run-state.ts';
import type { Dispatch, DispatchChange } from '../core/ports/dispatches.ts';
import type { GitHub } from '../core/ports/github-port.ts';
import type { RunTarget } from '../core/ports/run-target.ts';

/** A run of the workflow that has to be asked for, or a machine that is there already. */
type Machine = { workflow: string; inputs: Record<string, string> } | { taken: DispatchChange };

/** The machines that jobs run on. */
export interface JobStarter {
  /** Prepares a job for its machine. The caller asks Actions for it, and does not repeat a request whose response was lost. */
  prepare(dispatch: Dispatch, where: { state: RunState; target: RunTarget }): Promise<Machine>;
  /** Ends the machine. */
  stop(dispatch: Dispatch, github: GitHub): Promise<void>;
  /** Nothing that the job says counts any more. */
  silence(op: string): Promise<void>;
  /** Whether a job at work talks with the desk: it gives signs of life, reads its orders, and ends by itself when told to. */
  readonly isConnected: boolean;
}
