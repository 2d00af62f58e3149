import type { InstallationStatus } from '../core/ports/github-port.ts';
import type { OctokitLike } from './client/client.ts';
import { toGitHubError } from './client/errors.ts';
import { PER_PAGE, readAllPages } from './client/pages.ts';

/** Whether an installation of the App is active. `octokit` is authenticated as the App. */
export async function readInstallationStatus(octokit: OctokitLike, id: number): Promise<InstallationStatus> {
  const route = 'GET /app/installations';
  const all = await readAllPages('installations', async (page) => {
    const { data, headers } = await octokit.request(route, { per_page: PER_PAGE, page });
    return { items: data, link: headers.link };
  }).catch((error: unknown) => Promise.reject(toGitHubError(error, route)));
  const found = all.find((installation) => Number(installation.id) === id);
  if (!found) return 'gone';
  return found.suspended_at ? 'suspended' : 'active';
}
