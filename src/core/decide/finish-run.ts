import type { RunStatus } from '../contracts/run-event.ts';
import type { LostVerification } from '../contracts/verification.ts';
import type { Decision } from './decision.ts';

/** Ends the run: the job is stopped, the receipt is shown, and the values that were given are deleted. */
export function finishRun(options: {
  at: string;
  status: RunStatus;
  partial: boolean;
  reason: string;
  by?: string;
  expired?: true;
  lost_verification?: LostVerification;
}): Decision {
  const { status, ...finished } = options;
  return {
    events: [{ type: 'run_finished', status, ...finished }],
    effects: [
      { type: 'stop_job' },
      ...(status === 'reviewing' ? [{ type: 'publish' as const, ready: true }] : []),
      { type: 'update_status' },
      { type: 'show_receipt' },
      { type: 'forget_inputs' },
    ],
  };
}
