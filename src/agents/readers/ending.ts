import type { AgentEvent } from '../../core/contracts/agent/agent-event.ts';
import type { End, EndReason } from './end-reason.ts';

/** The end of one invocation, which is reported once. */
interface Ending {
  readonly hasEnded: boolean;
  finish(end: EndReason | End, message?: string): AgentEvent[];
}

export function createEnding(): Ending {
  let hasEnded = false;
  return {
    get hasEnded() {
      return hasEnded;
    },
    finish(given, message) {
      if (hasEnded) return [];
      hasEnded = true;
      const end = typeof given === 'string' ? { reason: given } : given;
      return [{ type: 'ended', ok: end.reason === 'done', ...end, ...(message ? { message } : {}) }];
    },
  };
}
