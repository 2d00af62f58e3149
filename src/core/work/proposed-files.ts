import type { Evidence } from '../contracts/guard.ts';

/** True if all proposed files need approval because they are protected, and none because of the scope. */
export function isProtectedOnly({ proposed = [] }: Evidence): boolean {
  return proposed.length > 0 && proposed.every(({ why }) => why === 'protected' || why === 'workflow');
}

/** True if all proposed files need approval only because the agent wrote them without asking the gate. */
export function isPastTheGate({ proposed = [] }: Evidence): boolean {
  return proposed.length > 0 && proposed.every(({ why }) => why === 'gate_bypassed');
}
