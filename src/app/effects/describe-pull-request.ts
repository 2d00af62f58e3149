import { ciBoxId } from '../../comments/github/branch-standing.ts';
import { keepAddedText, renderPullRequest } from '../../comments/github/render-pull-request.ts';
import type { PullRequest } from '../../core/ports/github-port.ts';
import { commentContext } from '../comment-context.ts';
import { publishedBranch } from '../published-branch.ts';
import { redactFor } from '../redact.ts';
import { newTicks } from '../ticked-boxes.ts';
import type { Doing } from './effect-context.ts';

/** The description as the record says, box empty or done. */
export async function renderDescription({ parts, state, place }: Doing, head: string): Promise<string> {
  const branch = publishedBranch(parts, state.run, place);
  const where = await commentContext(parts, state, place, `${state.run}.pr`);
  const text = renderPullRequest(state, where, {
    left_out: await branch.leftOut(),
    ci: place.ci === 'skip' ? { head, asked: await branch.ciRequest() } : undefined,
  });
  return redactFor(parts, state.run, text);
}

/** Writes the description where it differs. What people added below it is theirs. */
export async function describePullRequest(doing: Doing, pull: PullRequest, head: string): Promise<void> {
  const body = keepAddedText(pull.body, await renderDescription(doing, head));
  if (pull.body.replaceAll('\r\n', '\n') !== body)
    await doing.github.updatePullRequest(pull.number, { body });
}

/** Somebody was quicker: writing now would take the tick away before its webhook, or reconcile, has read it. */
export function isTicked(pull: PullRequest, head: string): boolean {
  return newTicks('', pull.body).includes(ciBoxId(head));
}
