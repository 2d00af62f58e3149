import { keepAddedText, renderPullRequest } from '../../comments/github/render-pull-request.ts';
import { ciBoxId } from '../../comments/github/sections/branch-standing.ts';
import type { PullRequest } from '../../core/ports/github-port.ts';
import { commentContext } from '../comment-context.ts';
import { publishedBranch } from '../published-branch.ts';
import { redactFor } from '../redact.ts';
import { newTicks } from '../ticked-boxes.ts';
import type { EffectContext } from './effect-context.ts';

/** Renders the description from the record. The *Run CI* box is empty, or replaced by who asked for CI. */
export async function renderDescription(
  { deps, state, target }: EffectContext,
  head: string,
): Promise<string> {
  const branch = publishedBranch(deps, state.run, target);
  const where = await commentContext(deps, state, target, `${state.run}.pr`);
  const text = renderPullRequest(state, where, {
    left_out: await branch.leftOut(),
    ci: target.ci === 'skip' ? { head, asked: await branch.ciRequest() } : undefined,
  });
  return redactFor(deps, state.run, text);
}

/** Writes the description if it differs. Text that people added below it is kept. */
export async function describePullRequest(
  context: EffectContext,
  pull: PullRequest,
  head: string,
): Promise<void> {
  const body = keepAddedText(pull.body, await renderDescription(context, head));
  if (pull.body.replaceAll('\r\n', '\n') !== body)
    await context.github.updatePullRequest(pull.number, { body });
}

/** A person ticked the box but no handler has read it yet. Writing the description now would erase the tick. */
export function isTicked(pull: PullRequest, head: string): boolean {
  return newTicks('', pull.body).includes(ciBoxId(head));
}
