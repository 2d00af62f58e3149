import { GitHubError } from '../core/ports/github-port.ts';
import type { EffectContext } from './effects/effect-context.ts';
import { replyOnce } from './handle-input.ts';
import { publishedBranch } from './published-branch.ts';
import { hasCommitOf, isCommitOf } from './revise/follow-head.ts';
import { roundToPublish } from './revise/last-result.ts';

/** The branch that the work is put on, and its head as it is now. */
interface ChosenBranch {
  name: string;
  head: string | undefined;
  /** The head is the commit of this round, from a try whose response was lost. */
  isOfRound: boolean;
  /** That commit is below the head, which is somebody else's. */
  isBelow: boolean;
}

/**
 * Nothing of others is moved or built over. If the present branch has commits of theirs, the run uses the first of its own branches
 * that has none.
 */
export async function chooseBranch(context: EffectContext): Promise<ChosenBranch> {
  const { deps, state, target } = context;
  const branch = publishedBranch(deps, state.run, target);
  const name = await branch.name();
  let wasDeleted = false;
  for (const candidate of [name, ...branch.ownNames()]) {
    const { isFree, ...found } = await lookAt(context, candidate);
    if (candidate === name) wasDeleted = found.head === undefined;
    if (!isFree) continue;
    if (candidate !== name) await sayMoved(context, name, candidate, wasDeleted);
    if (candidate !== name) await branch.moveTo(candidate);
    return found;
  }
  throw new GitHubError(`${name} and every other branch of the run have commits of others.`, { status: 409 });
}

/**
 * A round appends to the head that it began with, or finds its own commit. Without a round the branch is moved, so that nothing
 * on it may be somebody else's.
 */
async function lookAt(context: EffectContext, name: string): Promise<ChosenBranch & { isFree: boolean }> {
  const { deps, github, state, target } = context;
  const branch = publishedBranch(deps, state.run, target);
  const head = await github.branchHead(name);
  const round = roundToPublish(state);
  if (!round)
    return {
      ...{ name, head, isOfRound: false, isBelow: false },
      isFree: head === undefined || (await branch.isOurs(head)),
    };
  const isOfRound = head !== undefined && (await isCommitOf(context, round.number, head));
  const isNew = head === undefined && branch.ownNames().includes(name);
  const isKnown = isOfRound || isNew || head === round.head;
  const isBelow = !isKnown && head !== undefined && (await hasCommitOf(context, round.number, head));
  return { name, head, isOfRound, isBelow, isFree: isKnown || isBelow };
}

/** Before the branch is recorded, because the next try would have nothing to tell. */
async function sayMoved(
  { deps, state }: EffectContext,
  from: string,
  to: string,
  wasDeleted: boolean,
): Promise<void> {
  const round = roundToPublish(state);
  await replyOnce(deps, state.run, `others-on-branch:${to}`, {
    tone: 'info',
    title: round
      ? `Round ${round.number} is pushed to \`${to}\`, because \`${from}\` ${wasDeleted ? 'was deleted' : 'moved'} while it was running.`
      : `The work is pushed to \`${to}\`, because \`${from}\` has commits by somebody else.`,
    detail: wasDeleted ? undefined : 'Their branch was not touched.',
  });
}
