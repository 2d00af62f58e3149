import type { RunState } from '../core/contracts/run-state.ts';
import type { Dispatch, DispatchChange } from '../core/ports/dispatches.ts';
import type { GitHub } from '../core/ports/github-port.ts';
import type { RunTarget } from '../core/ports/run-target.ts';

/** The machines that jobs run on. */
export interface JobStarter {
  /** Asks for a machine, and returns what is known of it. A request whose response was lost is not repeated by the caller. */
  start(
    dispatch: Dispatch,
    where: { github: GitHub; state: RunState; target: RunTarget },
  ): Promise<DispatchChange>;
  /** Ends the machine. */
  stop(dispatch: Dispatch, github: GitHub): Promise<void>;
  /** Nothing that the job says counts any more. */
  silence(op: string): Promise<void>;
  /** Whether a job at work talks with the desk: it gives signs of life, reads its orders, and ends by itself when told to. */
  readonly isConnected: boolean;
}
