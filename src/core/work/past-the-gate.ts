import type { Evidence } from '../contracts/guard.ts';

/** No limit is in question: the agent did not ask, though it should have. */
export function isPastTheGate({ proposed = [] }: Evidence): boolean {
  return proposed.length > 0 && proposed.every((write) => write.why === 'gate_bypassed');
}
