import { matchesPattern } from './path-pattern.ts';

export interface Approvals {
  /** Patterns that a person typed. */
  approvedPaths: readonly string[];
  /** Paths of proposed files that were approved. They are not read as patterns, because the agent chose them. */
  approvedNames?: readonly string[];
}

export function isApproved(path: string, { approvedPaths, approvedNames = [] }: Approvals): boolean {
  return approvedNames.includes(path) || approvedPaths.some((pattern) => matchesPattern(pattern, path));
}
