import type { InstalledRepository } from '../../core/ports/cursors.ts';
import { GitHubError } from '../../core/ports/github-port.ts';
import type { AppDependencies, HostedDependencies } from '../dependencies.ts';
import { hasPassed } from './has-passed.ts';

/** Events tell of changes; this finds those whose webhook was lost. */
const EVERY_MS = 15 * 60_000;

/** The repositories of all installations, from the store as long as nothing has changed. */
export async function installedRepositories(deps: HostedDependencies): Promise<InstalledRepository[]> {
  const { store, log } = deps;
  const known = await store.cursors.get('repositories', 'all');
  // By the database's clock, because the next round may be another desk's.
  const now = await store.now();
  const isOver = (pause: number, since: string) =>
    hasPassed(pause, { since: Date.parse(since), now: now.getTime() });
  if (known?.rest && !isOver(known.rest.seconds * 1_000, known.rest.since)) return known.installed;
  if (known?.read_at && !isOver(EVERY_MS, known.read_at)) return known.installed;
  const read_at = now.toISOString();
  try {
    const { repositories, unread } = await deps.repositories();
    for (const { installation_id, error } of unread)
      log.warn({ installation: installation_id, error: String(error) }, 'its repositories could not be read');
    // The trouble of one installation is its own: it keeps the repositories that were known.
    const kept = (known?.installed ?? []).filter((repository) =>
      unread.some(({ installation_id }) => installation_id === repository.installation_id),
    );
    const installed = [...repositories, ...kept];
    await store.cursors.set('repositories', 'all', { read_at, installed });
    return installed;
  } catch (error) {
    log.warn({ error: String(error) }, 'the list of repositories could not be read');
    const installed = known?.installed ?? [];
    const seconds = error instanceof GitHubError ? error.retryAfter : undefined;
    if (seconds !== undefined) {
      // Calls while GitHub asks the App to wait make it last longer.
      const rest = { since: (await store.now()).toISOString(), seconds };
      await store.cursors.set('repositories', 'all', { ...known, rest, installed });
    }
    return installed;
  }
}

/** An installation event: the list is read again in the next round. */
export async function forgetInstalled({ store }: Pick<AppDependencies, 'store'>): Promise<void> {
  const { read_at, ...known } = (await store.cursors.get('repositories', 'all')) ?? { installed: [] };
  await store.cursors.set('repositories', 'all', known);
}
