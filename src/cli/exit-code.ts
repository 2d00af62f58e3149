import { lastVerification, type RunState } from '../core/contracts/run-state.ts';
import type { ErrorCode, UserError } from '../core/error-catalogue.ts';

export const EXIT = { done: 0, failed: 1, waiting: 2, cancelled: 3, usage: 64 } as const;

/** Mistakes in the command line itself, reported before anything was started. */
const USAGE_CODES: readonly ErrorCode[] = ['usage', 'agent_missing', 'agent_unknown'];

export function exitCodeOfError({ code }: UserError): number {
  return USAGE_CODES.includes(code) ? EXIT.usage : EXIT.failed;
}

/** 0 means verified. Work that a person accepted with failing checks is not 0, because scripts continue after a 0. */
export function exitCodeOf(state: RunState): number {
  switch (state.status) {
    case 'reviewing': {
      // V-9: the run rests on what it had before, but the round that was asked for has no result.
      const outcome = state.revisions?.at(-1)?.outcome;
      if (outcome === 'cancelled') return EXIT.cancelled;
      if (outcome === 'failed') return EXIT.failed;
      return lastVerification(state)?.ok === true ? EXIT.done : EXIT.failed;
    }
    case 'approved':
      return lastVerification(state)?.ok === true ? EXIT.done : EXIT.failed;
    case 'cancelled':
    case 'terminated_by_human':
      return EXIT.cancelled;
    case 'failed':
    case 'rejected':
      return EXIT.failed;
    case 'pending':
    case 'building':
    case 'waiting_for_input':
      return EXIT.waiting;
  }
}
