import { GitHubError } from '../../core/ports/github-port.ts';
import type { HostedDependencies } from '../dependencies.ts';
import { type FirstReads, openFirstReads } from './first-reads.ts';
import { hasPassed } from './has-passed.ts';
import { installedRepositories } from './installed-repositories.ts';
import { reconcileRepository } from './reconcile-repository.ts';
import { redeliverFailed } from './redeliver.ts';
import type { PolledTarget } from './repository-round.ts';
import { createTurns, type Turns } from './turns.ts';

/** Repositories that a round reads at once, beside those that have outlasted their turn. */
const AT_ONCE = 8;
/** This share of an installation's hourly calls is left to effects. */
const FOR_EFFECTS = 0.2;
/** Repositories without a run under way are read this often. */
const IDLE_MS = 15 * 60_000;

/**
 * Polls GitHub for events whose webhooks were lost, and passes them to the same handlers. The calls are made per repository,
 * whatever the number of its runs, and an installation that GitHub limits is left alone. A repository that takes longer
 * than its turn continues beside this round and the next ones.
 */
export async function reconcile(deps: HostedDependencies, turns = createTurns(deps)): Promise<void> {
  const stopped = new Set<number>();
  const firstReads = new Map<number, Promise<FirstReads>>();
  const waiting = await targets(deps, turns);
  const work = async () => {
    for (let next = takeNext(waiting, turns); next; next = takeNext(waiting, turns)) {
      const target = next;
      const { installation_id, repo_id } = target;
      if (stopped.has(installation_id) || !isAffordable(deps, installation_id)) continue;
      const opening = firstReads.get(installation_id) ?? openFirstReads(deps, installation_id);
      firstReads.set(installation_id, opening);
      await turns.take({ name: `repository ${repo_id}`, installation_id }, async () => {
        if (await isLimited(deps, target, await opening)) stopped.add(installation_id);
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  for (const opening of firstReads.values()) await (await opening).close();
  // afterwards, because a command whose webhook failed is found by the polling, and many failed webhooks take long.
  await turns.take({ name: 'failed webhooks' }, () => redeliverFailed(deps));
}

/** Repositories with runs under way come first. */
async function targets(deps: HostedDependencies, turns: Turns): Promise<PolledTarget[]> {
  const listed = await turns.take({ name: 'list of repositories' }, () => installedRepositories(deps));
  const installed = listed ?? (await deps.store.cursors.get('repositories', 'all'))?.installed ?? [];
  const found = new Map<number, PolledTarget>();
  for (const placed of await deps.store.runs.placed('working', 'waiting', 'resting')) {
    const { installation_id, owner, repo, repo_id } = placed.target;
    const known = found.get(repo_id);
    // The newest run knows the newest name.
    found.set(repo_id, {
      ...{ installation_id, owner, repo, repo_id, archived: false },
      runs: [...(known?.runs ?? []), placed],
    });
  }
  for (const repository of installed)
    found.set(repository.repo_id, { ...repository, runs: found.get(repository.repo_id)?.runs ?? [] });
  const all = [...found.values()];
  return [...all.filter(isActive), ...all.filter((target) => !isActive(target))];
}

/** Where something takes long, more may: the repositories of such an installation come after those of the others. */
function takeNext(waiting: PolledTarget[], turns: Turns): PolledTarget | undefined {
  const [first] = waiting;
  if (!first) return undefined;
  const next =
    waiting.find((target) => isActive(target) === isActive(first) && !turns.isLate(target.installation_id)) ??
    first;
  waiting.splice(waiting.indexOf(next), 1);
  return next;
}

function isActive({ runs }: PolledTarget): boolean {
  return runs.some(({ phase }) => phase !== 'resting');
}

function isAffordable({ budget }: HostedDependencies, installation_id: number): boolean {
  const left = budget?.(installation_id);
  return !left || left.remaining > left.limit * FOR_EFFECTS;
}

/** Reads one repository. Its trouble stops no other; a limit stops those of the same installation, which share it. */
async function isLimited(
  deps: HostedDependencies,
  target: PolledTarget,
  firstReads: FirstReads,
): Promise<boolean> {
  const { store, now, log } = deps;
  const key = String(target.repo_id);
  const last = isActive(target) ? undefined : await store.cursors.get('labels', key);
  if (last && !hasPassed(IDLE_MS, { since: Date.parse(last.read_at), now: now().getTime() })) return false;
  const read_at = now().toISOString();
  try {
    await reconcileRepository(deps, target, firstReads);
  } catch (error) {
    const repository = `${target.owner}/${target.repo}`;
    log.warn({ repository, error: String(error) }, 'this repository could not be reconciled');
    if (error instanceof GitHubError && error.retryAfter !== undefined) return true;
    // A repository that is gone or empty is read less often. Any other failure is retried in the next round.
    if (!(error instanceof GitHubError) || ![403, 404, 409, 410, 451].includes(error.status)) return false;
  }
  if (!isActive(target)) await store.cursors.set('labels', key, { read_at });
  return false;
}
