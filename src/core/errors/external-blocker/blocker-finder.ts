import type { ExternalBlocker } from '../../contracts/verification.ts';

/** What is known about the operation that failed. `command` is the command line, `worktree` the absolute path of the agent's tree. */
export type BlockerContext = { command?: string; worktree?: string };

/** Reads one line of a failed operation's output; may look at its neighbours. */
export type BlockerFinder = (
  lines: readonly string[],
  at: number,
  context: BlockerContext,
) => ExternalBlocker | undefined;
