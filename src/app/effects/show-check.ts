import { renderCheck, renderCheckSummary } from '../../comments/github/render-check.ts';
import { commentContext } from '../comment-context.ts';
import type { EffectContext } from './effect-context.ts';

/** Shows the run's status as a check on the branch's newest commit, if the branch exists. */
export async function showCheck({ deps, github, state, target }: EffectContext): Promise<void> {
  const { publications } = deps.store;
  const { head, check: written, check_run, made } = await publications.of(state.run);
  if (head === undefined) return;
  const where = await commentContext(deps, state, target, `check:${state.run}`);
  const check: ReturnType<typeof renderCheck> = where.unpublished
    ? { status: 'completed', conclusion: 'action_required', title: 'Built, but not published' }
    : renderCheck(state);
  const shown = JSON.stringify([head, check]);
  if (written === shown) return;
  const tried = check_run?.head === head ? check_run : undefined;
  // recorded first, so that after a lost response it is looked for.
  if (!tried) await publications.change(state.run, { check_run: { head } });
  const id = await github.upsertCheckRun({
    ...check,
    id: tried?.id,
    isFirst: !tried && made === head,
    head_sha: head,
    external_id: state.run,
    summary: renderCheckSummary(state),
    details_url: where.links?.run_page ?? where.links?.status,
  });
  await publications.change(state.run, { check: shown, check_run: { head, id } });
}
