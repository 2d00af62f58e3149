import { matchesPattern } from './path-pattern.ts';

export interface Approvals {
  /** Patterns, as a person typed them. */
  approvedPaths: readonly string[];
  /** Files that were proposed and approved. The agent chose their names, so none of them is read as a pattern. */
  approvedNames?: readonly string[];
}

export function isApproved(path: string, { approvedPaths, approvedNames = [] }: Approvals): boolean {
  return approvedNames.includes(path) || approvedPaths.some((pattern) => matchesPattern(pattern, path));
}
