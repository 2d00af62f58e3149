import { renderCheck, renderCheckSummary } from '../../comments/github/render-check.ts';
import { commentContext } from '../comment-context.ts';
import type { EffectContext } from './effect-context.ts';

/** Shows the run's status as a check on the branch's newest commit, if the branch exists. */
export async function showCheck({ deps, github, state, target }: EffectContext): Promise<void> {
  const { head, check: written } = await deps.store.publications.of(state.run);
  if (head === undefined) return;
  const where = await commentContext(deps, state, target, `check:${state.run}`);
  const check: ReturnType<typeof renderCheck> = where.unpublished
    ? { status: 'completed', conclusion: 'action_required', title: 'Built, but not published' }
    : renderCheck(state);
  const shown = JSON.stringify([head, check]);
  if (written === shown) return;
  await github.upsertCheckRun({
    ...check,
    head_sha: head,
    external_id: state.run,
    summary: renderCheckSummary(state),
    details_url: where.links?.run_page ?? where.links?.status,
  });
  await deps.store.publications.change(state.run, { check: shown });
}
