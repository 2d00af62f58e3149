import { type GitHub, GitHubError } from '../core/ports/github-port.ts';
import type { RunTarget } from '../core/ports/run-target.ts';
import type { AppDependencies } from './dependencies.ts';

/**
 * Why the App cannot write to the run's issue, as the end of a sentence; undefined if it can. GitHub responds with the same 404
 * to missing and to inaccessible things, so each is checked.
 */
export async function whyUnreachable(deps: AppDependencies, target: RunTarget): Promise<string | undefined> {
  const where = `${target.owner}/${target.repo}`;
  const status = await deps.installation?.(target.installation_id);
  if (status === 'gone') return `the App was uninstalled from ${where}`;
  if (status === 'suspended') return `the App was suspended for ${where}`;
  const github = await deps.github(target);
  const repository = await readRepository(github);
  if (!repository) return `the App cannot see ${where}: it was removed from the installation, or deleted`;
  if (repository.archived) return `${where} is archived`;
  return (await github.issue(target.issue)) ? undefined : `issue #${target.issue} of ${where} is gone`;
}

/** Undefined if the App cannot see the repository. */
async function readRepository(github: GitHub): Promise<{ archived: boolean } | undefined> {
  try {
    return await github.defaultBranch();
  } catch (error) {
    if (error instanceof GitHubError && error.status === 404) return undefined;
    // The repository exists and is empty.
    if (error instanceof GitHubError && error.status === 409) return { archived: false };
    throw error;
  }
}
