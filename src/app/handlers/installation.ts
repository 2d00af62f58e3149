import { isUnderWay } from '../../core/contracts/run-state.ts';
import type { AppDependencies, HostedDependencies } from '../dependencies.ts';
import { handleInput } from '../handle-input.ts';
import { expectLate } from '../reconcile/redeliver.ts';
import { forEachRun } from './for-each-run.ts';

const MOST_REVIVED = 1_000;

interface LostAccess {
  installation_id: number;
  /** Ids of the repositories; if absent, all of the installation. */
  repositories?: number[];
  login: string;
  /** Continues the sentence "cancelled by NAME: ". */
  because: string;
  /** The idempotency key, made from the delivery's id. */
  seen: string;
}

/**
 * Ends the runs of repositories the App lost access to. Their remaining effects are buried instead of being retried for hours.
 */
export async function onAccessLost(deps: AppDependencies, lost: LostAccess): Promise<void> {
  const { store, log } = deps;
  const { installation_id, because, login } = lost;
  log.info({ installation: installation_id, repositories: lost.repositories?.length, by: login }, because);
  await forEachRun(await store.runs.inPhase('working', 'waiting'), async (run) => {
    const target = await store.runs.target(run);
    if (target?.installation_id !== installation_id) return;
    if (lost.repositories && !lost.repositories.includes(target.repo_id)) return;
    await cancelBecause(deps, run, { by: login, because, seen: `${lost.seen}:${run}` });
  });
}

/** Nothing can be written to an archived repository, so its runs end and it is not read any more. */
export async function onArchived(deps: AppDependencies, repo_id: number, name: string): Promise<void> {
  const { runs } = deps.store;
  await forEachRun(await runs.inPhase('working', 'waiting'), async (run) => {
    if ((await runs.target(run))?.repo_id !== repo_id) return;
    await cancelBecause(deps, run, { by: 'someone', because: `${name} is archived`, seen: `gone:${run}` });
  });
}

export async function cancelBecause(
  deps: AppDependencies,
  run: string,
  { by, because, seen }: { by: string; because: string; seen: string },
): Promise<void> {
  const { state } = await deps.store.runs.load(run);
  if (!state || !isUnderWay(state)) return;
  const at = deps.now().toISOString();
  const command = { name: 'cancel' as const };
  await handleInput(deps, run, { type: 'command', at, command, by, via: 'github', because }, [seen]);
}

/** Revives effects and deliveries that were buried because the App lacked access or a permission. */
export async function onAccessRestored(deps: HostedDependencies, installation_id: number): Promise<void> {
  const { inbox, outbox } = deps.store;
  let revived = 0;
  for (const id of await outbox.buriedOf(installation_id, MOST_REVIVED))
    if (await outbox.revive(id)) revived += 1;
  for (const id of await inbox.buriedOf(installation_id, MOST_REVIVED)) {
    await expectLate(deps, id);
    if (await inbox.revive(id)) revived += 1;
  }
  deps.log.info({ installation: installation_id, revived }, 'the App has its permissions');
}
