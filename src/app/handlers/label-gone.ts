import type { GitHub } from '../../core/ports/github-port.ts';
import type { AppDependencies } from '../dependencies.ts';
import { forEachRun } from './for-each-run.ts';

/**
 * Somebody deleted or renamed the label in the whole repository. GitHub then takes it off every issue, which is no word about any
 * of their runs, so they continue.
 */
export async function onLabelGone(
  deps: AppDependencies,
  { repo_id, login, how }: { repo_id: number; login: string; how: string },
): Promise<void> {
  const { runs } = deps.store;
  const continued: string[] = [];
  const handled = forEachRun(await runs.inPhase('working', 'waiting'), async (run) => {
    if ((await runs.target(run))?.repo_id !== repo_id) return;
    await recordLabelGone(deps, run);
    continued.push(run);
  });
  await handled.finally(() => {
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
