import { matchesPattern } from './path-pattern.ts';
import { namesSensitive, sensitivitiesOf } from './sensitive-path.ts';

export interface Approvals {
  /** Patterns that a person typed. */
  approvedPaths: readonly string[];
  /** Paths of proposed files that were approved. They are not read as patterns, because the agent chose them. */
  approvedNames?: readonly string[];
  /** Directories that were approved by their box. They are literal, too, and cover nothing that is sensitive. */
  approvedFolders?: readonly string[];
  /** Added to the paths that are always protected. */
  protectedPaths?: readonly string[];
}

export function isApproved(path: string, approvals: Approvals): boolean {
  if (approvals.approvedNames?.includes(path)) return true;
  const sensitive = sensitivitiesOf(path, approvals.protectedPaths).map(({ pattern }) => pattern);
  return isCovered(path, approvals, sensitive);
}

/** True if a typed pattern or the box of a folder covers the path. `sensitive` has the patterns that make the path sensitive. */
export function isCovered(
  path: string,
  { approvedPaths, approvedFolders = [] }: Approvals,
  sensitive: readonly string[],
): boolean {
  if (sensitive.length === 0 && approvedFolders.some((folder) => path.startsWith(`${folder}/`))) return true;
  return approvedPaths.some(
    (pattern) => matchesPattern(pattern, path) && namesSensitive(pattern, path, sensitive),
  );
}
