import type { Evidence } from '../contracts/guard.ts';

/** No scope is in question: files that are always, or by the config, a person's to approve. */
export function isProtectedOnly({ proposed = [] }: Evidence): boolean {
  return proposed.length > 0 && proposed.every(({ why }) => why === 'protected' || why === 'workflow');
}
