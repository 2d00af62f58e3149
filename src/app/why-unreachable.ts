import { GitHubError } from '../core/ports/github-port.ts';
import type { Place } from '../core/ports/hosted-ports.ts';
import type { AppParts } from './dependencies.ts';

/**
 * Why nothing can be written where this run is at home, in words that end a sentence; undefined when it can. GitHub answers the
 * same 404 to what is not there yet and to what is closed to the App, so it is asked for each.
 */
export async function whyUnreachable(parts: AppParts, place: Place): Promise<string | undefined> {
  const where = `${place.owner}/${place.repo}`;
  const standing = await parts.installation?.(place.installation_id);
  if (standing === 'gone') return `the App was uninstalled from ${where}`;
  if (standing === 'suspended') return `the App was suspended for ${where}`;
  const github = await parts.github(place);
  if (!(await isThere(github.defaultBranch()))) {
    return `the App cannot see ${where}: it was removed from the installation, or deleted`;
  }
  return (await github.issue(place.issue)) ? undefined : `issue #${place.issue} of ${where} is gone`;
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
