import type { Evidence } from '../contracts/guard.ts';

/** True if all proposed files need approval because they are protected, and none because of the scope. */
export function isProtectedOnly({ proposed = [] }: Evidence): boolean {
  return proposed.length > 0 && proposed.every(({ why }) => why === 'protected' || why === 'workflow');
}
