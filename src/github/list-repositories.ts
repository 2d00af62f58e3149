import type { Budget } from './client/budget.ts';
import type { OctokitLike } from './client/client.ts';
import { toGitHubError } from './client/errors.ts';
import { PER_PAGE, readAllPages } from './client/pages.ts';
import { withinBudget } from './client/within-budget.ts';

interface InstalledRepository {
  installation_id: number;
  owner: string;
  repo: string;
  repo_id: number;
  archived: boolean;
}

/**
 * Every repository the App is installed in. `asApp` is authenticated as the App. An installation that cannot be read is named,
 * and the others are read all the same. A limited one is not called.
 */
export async function listRepositories(
  asApp: OctokitLike,
  asInstallation: (id: number) => Promise<OctokitLike>,
  budgetOf: (id: number) => Budget | undefined = () => undefined,
): Promise<{ repositories: InstalledRepository[]; unread: { installation_id: number; error: unknown }[] }> {
  const installations = await readAllPages('installations', async (page) => {
    const { data, headers } = await asApp.request('GET /app/installations', { per_page: PER_PAGE, page });
    return { items: data, link: headers.link };
  }).catch((error: unknown) => Promise.reject(toGitHubError(error, 'the list of installations')));
  const repositories: InstalledRepository[] = [];
  const unread: { installation_id: number; error: unknown }[] = [];
  for (const { id: installation_id, suspended_at } of installations) {
    if (suspended_at) continue;
    try {
      const found = await readAllPages('repositories', async (page) => {
        const route = 'GET /installation/repositories';
        const budget = budgetOf(installation_id);
        const { data, headers } = await withinBudget(budget, { resource: 'core', route }, async () =>
          (await asInstallation(installation_id)).request(route, { per_page: PER_PAGE, page }),
        );
        return { items: data.repositories, link: headers.link };
      });
      for (const { owner, name, id, archived } of found)
        repositories.push({ installation_id, owner: owner.login, repo: name, repo_id: Number(id), archived });
    } catch (error) {
      unread.push({ installation_id, error: toGitHubError(error, 'the list of repositories') });
    }
  }
  return { repositories, unread };
}
