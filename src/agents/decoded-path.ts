import type { Agent } from './agent.ts';

/** The path after one decoding of `%2e` and the like. Undefined if it would decode further, or is an address. */
export function decodedPath(path: string): string | undefined {
  if (/^file:/i.test(path)) return undefined;
  const decoded = decodeOnce(path);
  return decodeOnce(decoded) === decoded ? decoded : undefined;
}

/** A path with a broken code stays as it is, as it does for the agent. */
function decodeOnce(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Says why the agent cannot work in this worktree: it would write to another one. */
export function worktreeProblem(
  { name, decodesPaths }: Pick<Agent, 'name' | 'decodesPaths'>,
  worktree: string,
): string | undefined {
  if (!decodesPaths || decodedPath(worktree) === worktree) return undefined;
  return `${name} reads % in a path as a code, so it would not find ${worktree}. Use a checkout whose path has no code such as %20.`;
}
