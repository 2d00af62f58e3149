import type { ExternalBlocker } from '../../contracts/verification.ts';

/** The failed operation's command line, and the absolute path of the worktree. */
export type BlockerContext = { command?: string; worktree?: string };

/** Reads line `at` of a failed operation's output. It may look at the lines around it. */
export type BlockerFinder = (
  lines: readonly string[],
  at: number,
  context: BlockerContext,
) => ExternalBlocker | undefined;
