import { describeProblem } from '../config/config-problem.ts';
import type { Config } from '../config/read-config.ts';
import { CONFIG_PATH } from '../core/config-path.ts';
import { type Move, moveToCommit } from '../runner/job/move-to-commit.ts';
import { openRepositoryObjects, type RepositoryObjects } from '../runner/workspace/repository-objects.ts';
import { ActionError } from './action-error.ts';

export interface CheckedOut {
  objects: RepositoryObjects;
  /** As in the base: what the work says about its own checks and isolation counts only when it is merged. */
  config: Config;
  base: string;
  /** From the base to the commit that the work builds on. */
  move: Move;
}

/** The commits of a job. */
export interface JobCommits {
  /** The commit that the work builds on. */
  head: string;
  /**
   * The commit of the default branch that the run began with. In the first round it is the head; later the head is a pull
   * request with files that an agent wrote.
   */
  base: string;
}

/**
 * Set-up steps have run outside the box, so the base must be checked out. The config is read from that commit, because these
 * steps may have changed the file. Then the files become those of the head.
 */
export async function openRepository(
  worktree: string,
  { head, base }: JobCommits,
  path: string | undefined,
): Promise<CheckedOut> {
  // Loaded while git works.
  const config = import('../config/read-config.ts');
  const objects = openRepositoryObjects(worktree, path);
  const checkedOut = await objects.head().catch((error: Error) => {
    throw new ActionError(
      `${worktree} is not a checkout: ${error.message.split('\n').at(0)}`,
      'Keep the checkout step before the step with autobuild, or name its place with `directory`.',
      { cause: error },
    );
  });
  if (checkedOut !== base)
    throw new ActionError(
      `The commit ${checkedOut} is checked out, but the run builds on ${base}.`,
      head === base ? 'Give the checkout step the input head_sha as its `ref`.' : TWO_CHECKOUTS,
    );
  const { readConfig } = await config;
  const read = readConfig((await objects.file(base, CONFIG_PATH)) ?? '');
  if (!read.ok)
    throw new ActionError(
      `${CONFIG_PATH} is not valid:\n${read.problems.map(describeProblem).join('\n')}`,
      'Fix the file on the default branch, then label the issue again.',
    );
  if (!(await objects.has(head)))
    throw new ActionError(
      `The commit ${head}, which this round builds on, is not in the checkout.`,
      TWO_CHECKOUTS,
    );
  const move: Move =
    head === base ? { from: [], to: [] } : await moveToCommit(worktree, objects, { from: base, to: head });
  return { objects, config: read.config, base, move };
}

const TWO_CHECKOUTS =
  'Keep both checkout steps of the workflow, the second one with base_sha as its `ref`: `autobuild init --app` writes them. If git cannot read the submodules of the repository, give the second one `fetch-depth: 0`.';
