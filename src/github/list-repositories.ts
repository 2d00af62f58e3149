import type { OctokitLike } from './client/client.ts';
import { toGitHubError } from './client/errors.ts';
import { PER_PAGE, readAllPages } from './client/pages.ts';

interface InstalledRepository {
  installation_id: number;
  owner: string;
  repo: string;
}

/** Every repository the App is installed in. `asApp` is authenticated as the App. */
export async function listRepositories(
  asApp: OctokitLike,
  asInstallation: (id: number) => Promise<OctokitLike>,
): Promise<InstalledRepository[]> {
  try {
    const installations = await readAllPages('installations', async (page) => {
      const { data, headers } = await asApp.request('GET /app/installations', { per_page: PER_PAGE, page });
      return { items: data, link: headers.link };
    });
    const found: InstalledRepository[] = [];
    for (const { id, suspended_at } of installations) {
      if (suspended_at) continue;
      const octokit = await asInstallation(id);
      const repositories = await readAllPages('repositories', async (page) => {
        const where = 'GET /installation/repositories';
        const { data, headers } = await octokit.request(where, { per_page: PER_PAGE, page });
        return { items: data.repositories, link: headers.link };
      });
      for (const { owner, name } of repositories)
        found.push({ installation_id: id, owner: owner.login, repo: name });
    }
    return found;
  } catch (error) {
    throw toGitHubError(error, 'the list of repositories');
  }
}
