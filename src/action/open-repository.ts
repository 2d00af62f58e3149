import { describeProblem } from '../config/config-problem.ts';
import type { Config } from '../config/read-config.ts';
import { CONFIG_PATH } from '../core/config-path.ts';
import { openRepositoryObjects, type RepositoryObjects } from '../runner/workspace/repository-objects.ts';
import { ActionError } from './action-error.ts';

export interface CheckedOut {
  objects: RepositoryObjects;
  config: Config;
}

/**
 * The checkout must be at the commit the run builds on. The config is read from that commit, because set-up steps may
 * have changed the file.
 */
export async function openRepository(
  worktree: string,
  headSha: string,
  path: string | undefined,
): Promise<CheckedOut> {
  // Loaded while git works.
  const config = import('../config/read-config.ts');
  const objects = openRepositoryObjects(worktree, path);
  const head = await objects.head().catch((error: Error) => {
    throw new ActionError(
      `${worktree} is not a checkout: ${error.message.split('\n').at(0)}`,
      'Keep the checkout step before the step with autobuild, or name its place with `directory`.',
      { cause: error },
    );
  });
  if (head !== headSha)
    throw new ActionError(
      `The commit ${head} is checked out, but the run builds on ${headSha}.`,
      'Give the checkout step the input head_sha as its `ref`.',
    );
  const { readConfig } = await config;
  const read = readConfig((await objects.file(head, CONFIG_PATH)) ?? '');
  if (read.ok) return { objects, config: read.config };
  throw new ActionError(
    `${CONFIG_PATH} is not valid:\n${read.problems.map(describeProblem).join('\n')}`,
    'Fix the file on the default branch, then label the issue again.',
  );
}
