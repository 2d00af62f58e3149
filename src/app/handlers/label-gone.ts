import type { GitHub } from '../../core/ports/github-port.ts';
import { isSameLabel } from '../../core/same-label.ts';
import type { AppDependencies } from '../dependencies.ts';
import { forEachRun } from './for-each-run.ts';

/**
 * Somebody deleted or renamed the label in the whole repository, or gave its name to another one. GitHub then takes it off every
 * issue, which is no word about any of their runs, so they continue. Each issue says itself whether it still has the label, because
 * a webhook may come late: a label that was renamed back is there again without a word, and a run may be younger than the deletion.
 */
export async function onLabelChanged(
  deps: AppDependencies,
  { repo_id, login, how }: { repo_id: number; login: string; how: 'deleted' | 'renamed' },
): Promise<void> {
  const { runs } = deps.store;
  const continued: string[] = [];
  const handled = forEachRun(await runs.inPhase('working', 'waiting'), async (run) => {
    const target = await runs.target(run);
    if (target?.repo_id !== repo_id) return;
    const issue = await (await deps.github(target)).issue(target.issue);
    if (issue?.labels.some((one) => isSameLabel(one, deps.settings.label))) return onLabelBack(deps, run);
    await recordLabelGone(deps, run);
    continued.push(run);
  });
  await handled.finally(() => {
    if (continued.length === 0) return;
    deps.log.warn({ by: login, repository: repo_id, runs: continued }, `the label was ${how}; runs continue`);
  });
}

/** Whether the label is missing on the issue because the repository has it no more. Its webhook may be late or lost. */
export async function isLabelGone(deps: AppDependencies, github: GitHub, run: string): Promise<boolean> {
  if ((await deps.store.cursors.get('label_gone', run))?.since) return true;
  if (await github.labelExists(deps.settings.label)) return false;
  await recordLabelGone(deps, run);
  deps.log.warn({ run }, 'the label was deleted or renamed in the repository; the run continues');
  return true;
}

async function recordLabelGone({ store, now }: AppDependencies, run: string): Promise<void> {
  await store.cursors.set('label_gone', run, { since: now().toISOString() });
}

/** From now on, taking the label off the issue cancels the run again. */
export async function onLabelBack({ store }: AppDependencies, run: string): Promise<void> {
  if ((await store.cursors.get('label_gone', run))?.since) await store.cursors.set('label_gone', run, {});
}
