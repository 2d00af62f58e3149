import { renderCi } from '../../comments/github/render-ci.ts';
import { nextNumber } from '../../core/decide/revise/ask-revision.ts';
import { commentContext } from '../comment-context.ts';
import { upsertComment } from '../upsert-comment.ts';
import type { EffectContext } from './effect-context.ts';

/** V-7: the one comment about CI on a head, on the pull request. It is edited when something is known that it does not say. */
export async function showCi(
  { deps, github, state, target }: EffectContext,
  { number }: { number: number },
): Promise<void> {
  const report = state.ci?.find((known) => known.number === number);
  const { pull } = await deps.store.publications.of(state.run);
  if (!report || pull === undefined) return;
  const op = `${state.run}.c${number}`;
  const where = await commentContext(deps, state, target, op);
  const body = renderCi(
    {
      ...{ run: state.run, report, round: nextNumber(state) },
      isNewest: state.ci?.at(-1) === report,
      setting: target.revisions?.on_ci_failure ?? 'ask',
    },
    where,
  );
  await upsertComment(deps, github, { run: state.run, op, body, issue: pull });
}
