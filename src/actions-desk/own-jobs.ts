import type { JobStarter } from '../app/job-starter.ts';
import type { Dispatch } from '../core/ports/dispatches.ts';
import type { DeskJob } from './desk-job.ts';

export interface OwnJobs extends JobStarter {
  /** The operation whose job the rest of this Actions run is. */
  taken(): string | undefined;
  /** Makes the rest of this Actions run the job of the operation. The result is to be recorded. */
  take(op: string): Pick<Dispatch, 'actions_run' | 'attempt' | 'claimed_at' | 'working_at' | 'heard_at'>;
}

/**
 * Jobs of a desk that is itself an Actions job. The first job it needs is the rest of its own Actions run, which is there
 * already; any other is another run of the same workflow.
 */
export function createOwnJobs(
  job: Pick<DeskJob, 'part' | 'actionsRun' | 'attempt' | 'now' | 'log' | 'workflow'>,
  /** Writes the state to where it is kept. */
  save: () => Promise<void>,
): OwnJobs {
  let taken: string | undefined;
  const take: OwnJobs['take'] = (op) => {
    taken = op;
    const at = job.now().toISOString();
    return {
      actions_run: job.actionsRun,
      attempt: job.attempt,
      claimed_at: at,
      working_at: at,
      heard_at: at,
    };
  };
  return {
    taken: () => taken,
    take,
    async prepare({ op }, { target }) {
      if (job.part === 'desk' && taken === undefined) return { taken: take(op) };
      // If this desk is killed from here on, the next one has to know that the run may have been started.
      await save();
      return { workflow: job.workflow, inputs: { issue: String(target.issue), operation: op } };
    },
    async stop({ op, actions_run }, github) {
      if (taken === op) taken = undefined;
      // Cancelling its own Actions run would end this desk before it has saved.
      if (actions_run !== undefined && actions_run !== job.actionsRun) await github.cancelRun(actions_run);
    },
    // A job here says nothing while it works, and its work is read under the lease of the issue.
    silence: async () => undefined,
    isConnected: false,
  };
}
