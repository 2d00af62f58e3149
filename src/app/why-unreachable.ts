import { GitHubError } from '../core/ports/github-port.ts';
import type { RunTarget } from '../core/ports/hosted-ports.ts';
import type { AppDependencies } from './dependencies.ts';

/**
 * Why nothing can be written where this run is at home, in words that end a sentence; undefined when it can. GitHub answers the
 * same 404 to what is not there yet and to what is closed to the App, so it is asked for each.
 */
export async function whyUnreachable(deps: AppDependencies, target: RunTarget): Promise<string | undefined> {
  const where = `${target.owner}/${target.repo}`;
  const status = await deps.installation?.(target.installation_id);
  if (status === 'gone') return `the App was uninstalled from ${where}`;
  if (status === 'suspended') return `the App was suspended for ${where}`;
  const github = await deps.github(target);
  if (!(await isThere(github.defaultBranch()))) {
    return `the App cannot see ${where}: it was removed from the installation, or deleted`;
  }
  return (await github.issue(target.issue)) ? undefined : `issue #${target.issue} of ${where} is gone`;
}

async function isThere(call: Promise<unknown>): Promise<boolean> {
  return call.then(
    () => true,
    (error: unknown) => {
      if (error instanceof GitHubError && error.status === 404) return false;
      // Empty, and there.
      if (error instanceof GitHubError && error.status === 409) return true;
      throw error;
    },
  );
}
