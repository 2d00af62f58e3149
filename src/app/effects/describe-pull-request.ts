import { keepAddedText, renderPullRequest } from '../../comments/github/render-pull-request.ts';
import { ciBoxId } from '../../comments/github/sections/branch-standing.ts';
import type { PullRequest } from '../../core/ports/github-port.ts';
import { commentContext } from '../comment-context.ts';
import { publishedBranch } from '../published-branch.ts';
import { redactFor } from '../redact.ts';
import { newTicks } from '../ticked-boxes.ts';
import type { EffectContext } from './effect-context.ts';
import { unseenWork } from './work-diffs.ts';

/** Renders the description from the record. The *Run CI* box is empty, or replaced by who asked for CI. */
export async function renderDescription(context: EffectContext, head: string): Promise<string> {
  const { deps, state, target } = context;
  const branch = publishedBranch(deps, state.run, target);
  const where = await commentContext(deps, state, target, `${state.run}.pr`);
  const text = renderPullRequest(state, where, {
    left_out: await branch.leftOut(),
    unseen: await unseenWork(context),
    ci: deps.settings.capabilities.ci_approval
      ? 'approval'
      : target.ci === 'skip'
        ? { head, asked: await branch.ciRequest() }
        : undefined,
  });
  return redactFor(deps, state.run, text);
}

/** The description as it should be, with the text that people added below it. Undefined if it is so already. */
export async function newDescription(
  context: EffectContext,
  pull: PullRequest,
  head: string,
): Promise<string | undefined> {
  const body = keepAddedText(pull.body, await renderDescription(context, head));
  return pull.body.replaceAll('\r\n', '\n') === body ? undefined : body;
}

/** A person ticked the box but no handler has read it yet. Writing the description now would erase the tick. */
export function isTicked(pull: PullRequest, head: string): boolean {
  return newTicks('', pull.body).includes(ciBoxId(head));
}
