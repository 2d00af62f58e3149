import type { Evidence } from '../contracts/guard.ts';

/** True if all proposed files need approval only because the agent wrote them without asking the gate. */
export function isPastTheGate({ proposed = [] }: Evidence): boolean {
  return proposed.length > 0 && proposed.every((write) => write.why === 'gate_bypassed');
}
