import { code } from '../../comments/text/harmless.ts';
import type { Reply } from '../../core/contracts/effect.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import type { PullRequest } from '../../core/ports/github-port.ts';
import { roundHead } from '../../core/work/round-head.ts';
import type { EffectContext } from '../effects/effect-context.ts';
import { findWork } from '../effects/work-to-publish.ts';
import { replyOnce } from '../handle-input.ts';
import { hasCommitOf, isCommitOf } from '../revise/follow-head.ts';
import { hasResult, roundToPublish } from '../revise/last-result.ts';
import { HOW_TO_RETRY } from '../unpublished.ts';
import { commitMessage } from './commit-message.ts';
import { explainCommit } from './explain-commit.ts';

const MOST_NAMED = 5;

type EndedRound = NonNullable<RunState['revisions']>[number];

/**
 * Whether a merge or a close stopped the last round, which was at work: the run ended for the same reason. After `/cancel` it
 * has the reason that it had before the round.
 */
export function isStopped({ status, revisions, finished }: RunState): boolean {
  const last = revisions?.at(-1);
  if (!last || hasResult(last) || (status !== 'approved' && status !== 'rejected')) return false;
  return last.reason === finished?.reason;
}

/**
 * V-1: the pull request was merged or closed before the work of a round was there. The work is put on a branch of its own, and
 * people are told where it is. It gets no pull request, because whoever merged or closed this one may not want the work.
 */
export async function keepLateWork(context: EffectContext): Promise<void> {
  const { deps, github, state } = context;
  const round = isStopped(state) ? state.revisions?.at(-1) : roundToPublish(state);
  const { pull: number, head, unpublished } = await deps.store.publications.of(state.run);
  if (!round || number === undefined) return;
  // It was published, whatever people have made of its commit since.
  if (unpublished === null && head !== undefined && (await isCommitOf(context, round.number, head))) return;
  const pull = await github.pullRequest(number);
  if (pull && (await hasRound(context, round.number, pull))) return;
  const how = pull?.merged ? 'merged' : 'closed';
  const kept = await pushAside(context, round);
  // The end of a round that was stopped is told by the decision.
  if (!kept && !hasResult(round)) return;
  const title = hasResult(round)
    ? `Round ${round.number} was not pushed: pull request #${number} was ${how} before.`
    : `Round ${round.number} had changed files when pull request #${number} was ${how}.`;
  const reply: Reply = { tone: 'info', title, ...(kept ?? { detail: HOW_TO_RETRY.label }) };
  await replyOnce(deps, state.run, `too-late:${round.number}`, reply);
}

/** Whether the pull request has the round's work. A branch that moved after a merge is in no pull request, so only a closed one's counts. */
async function hasRound(
  context: EffectContext,
  round: number,
  { merged, branch, head_sha }: PullRequest,
): Promise<boolean> {
  if (await hasCommitOf(context, round, head_sha)) return true;
  const head = merged || branch === undefined ? undefined : await context.github.branchHead(branch);
  return head !== undefined && hasCommitOf(context, round, head);
}

/** Undefined: there is nothing to push. An update is none without the pull request that it was made for. */
async function pushAside(
  context: EffectContext,
  round: EndedRound,
): Promise<Pick<Reply, 'detail' | 'link'> | undefined> {
  if (round.update) return undefined;
  const { deps, github, state, target } = context;
  // The round counts as over, with the work that it has.
  const over = { ...context, state: withResult(state, round) };
  const work = await findWork(over);
  if (!work) return undefined;
  if ('refused' in work) return notKept(work.refused.why);
  if (work.files.length === 0 && work.leftOut.length > 0)
    return notKept(`none of the ${work.leftOut.length} changed files can be committed`);
  if (work.files.length === 0) return undefined;
  const branch = `autobuild/issue-${target.issue}-${state.run}-round-${round.number}`;
  // Nobody else makes a branch of this name, so it has the work already. People may have pushed to it since.
  if ((await github.branchHead(branch)) === undefined) {
    const { files, workflows } = work;
    const message = await commitMessage(over);
    let created = false;
    const onCreated = async () => {
      created = true;
    };
    await github
      .commit({ branch, parent: roundHead(over.state, target), files, force: false, message, onCreated })
      .catch((error: unknown) => {
        throw explainCommit(error, { created, workflows });
      });
  }
  const { owner, repo, default_branch } = target;
  const what = hasResult(round) ? 'Its work' : 'That work, which was not finished or verified,';
  const left = work.leftOut.slice(0, MOST_NAMED).map(({ path }) => code(path, 120));
  const more = work.leftOut.length > left.length ? ` and ${work.leftOut.length - left.length} more` : '';
  return {
    detail: `${what} is on the branch \`${branch}\`, without a pull request.${left.length > 0 ? `\nNot on it: ${left.join(', ')}${more}.` : ''}`,
    link: {
      text: 'Compare it, or open a pull request',
      url: `${deps.settings.webUrl}/${owner}/${repo}/compare/${default_branch}...${branch}?expand=1`,
    },
  };
}

function notKept(why: string): Pick<Reply, 'detail'> {
  return { detail: `Its work cannot be kept: ${why}.\n${HOW_TO_RETRY.label}` };
}

function withResult(state: RunState, round: EndedRound): RunState {
  if (hasResult(round)) return state;
  const { revisions = [] } = state;
  return { ...state, revisions: [...revisions.slice(0, -1), { ...round, outcome: 'partial' }] };
}
