import { code } from '../../comments/text/harmless.ts';
import type { Unpublished } from '../../core/contracts/comment-context.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import type { GitHub, PullRequest } from '../../core/ports/github-port.ts';
import type { RunTarget } from '../../core/ports/run-target.ts';
import type { AppDependencies } from '../dependencies.ts';
import { replyOnce } from '../handle-input.ts';
import { roundToPublish } from './last-result.ts';

/** V-1: changes of the pull request while a round was at work. The work of the round is kept, and each change is said once. */

interface Context {
  deps: AppDependencies;
  github: GitHub;
  state: RunState;
  target: RunTarget;
}

/** The merge queue takes minutes to hours. */
export const QUEUE_MS = 60_000;

export const IN_QUEUE: Unpublished = {
  why: 'the pull request waits in the merge queue',
  detail: 'A push would take it out of the queue. The work is kept, and pushed once it has left the queue.',
};

export async function isInQueue({ deps, github, state }: Context): Promise<boolean> {
  const { pull } = await deps.store.publications.of(state.run);
  if (!roundToPublish(state) || pull === undefined) return false;
  return (await github.reviewedPull(pull))?.is_queued === true;
}

/** Nothing is turned back: whoever made it a draft, or chose another base, had a reason. */
export async function sayChanged(
  { deps, state, target }: Context,
  { number, draft, base }: PullRequest,
): Promise<void> {
  const round = roundToPublish(state);
  if (!round) return;
  if (draft)
    await replyOnce(deps, state.run, `drafted:${number}:${round.number}`, {
      tone: 'info',
      title: `Round ${round.number} is pushed. Pull request #${number} is a draft now, and stays one.`,
      detail: 'Mark it as ready when it should be reviewed.',
    });
  if (base !== undefined && base !== target.default_branch)
    await replyOnce(deps, state.run, `retargeted:${number}:${base}`, {
      tone: 'info',
      title: `Pull request #${number} goes to ${code(base, 100)} now. Round ${round.number} was built and checked for ${code(target.default_branch, 100)}.`,
      detail: 'Check that it fits there before you merge.',
    });
}
