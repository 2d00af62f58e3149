import { code } from '../../comments/text/harmless.ts';
import type { Reply } from '../../core/contracts/effect.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import type { PullRequest } from '../../core/ports/github-port.ts';
import { roundHead } from '../../core/work/round-head.ts';
import type { EffectContext } from '../effects/effect-context.ts';
import { contentOf, findWork } from '../effects/work-to-publish.ts';
import { replyOnce } from '../handle-input.ts';
import { hasCommitOf, isCommitOf } from '../revise/follow-head.ts';
import { hasResult } from '../revise/last-result.ts';
import { type LateWork, lateWorkOf } from '../revise/late-work-of.ts';
import { HOW_TO_RETRY } from '../unpublished.ts';
import { commitMessage } from './commit-message.ts';
import { explainCommit } from './explain-commit.ts';

const MOST_NAMED = 5;

/**
 * V-1: the pull request was merged or closed before the work was there. The work is put on a branch of its own, and people are
 * told where it is. It gets no pull request, because whoever merged or closed this one may not want the work.
 */
export async function keepLateWork(context: EffectContext): Promise<void> {
  const { deps, github, state } = context;
  const late = lateWorkOf(state);
  const { pull: number, head, unpublished } = await deps.store.publications.of(state.run);
  if (!late || number === undefined) return;
  const { round, name, ending } = late;
  // It was published, whatever people have made of its commit since.
  if (unpublished === null && (!round || (head && (await isCommitOf(context, round.number, head))))) return;
  const pull = await github.pullRequest(number);
  if (pull && (await hasWork(context, late, pull))) return;
  const how = pull?.merged ? 'merged' : 'closed';
  const kept = await pushAside(context, late);
  const isOver = !round || hasResult(round);
  // The end of a round that was stopped is told by the decision, and that a build changed nothing by its end.
  if (!kept && (!round || !isOver)) return;
  const title = isOver
    ? `${name} was not pushed: pull request #${number} was ${how} before.`
    : `${name} had changed files when pull request #${number} was ${how}.`;
  const reply: Reply = { tone: 'info', title, ...(kept ?? { detail: HOW_TO_RETRY.label }) };
  await replyOnce(deps, state.run, `too-late:${round?.number ?? ending}`, reply);
}

/** Whether the pull request has the work. A branch that moved after a merge is in no pull request, so only a closed one's counts. */
async function hasWork(
  context: EffectContext,
  { round }: LateWork,
  { merged, branch, head_sha }: PullRequest,
): Promise<boolean> {
  const isIn = (sha: string) => (round ? hasCommitOf(context, round.number, sha) : hasBuild(context, sha));
  if (await isIn(head_sha)) return true;
  const head = merged || branch === undefined ? undefined : await context.github.branchHead(branch);
  return head !== undefined && isIn(head);
}

/** R-2: all commits of a build have the same message, so that what they were made from tells them apart. */
async function hasBuild(context: EffectContext, head: string): Promise<boolean> {
  const { deps, github, state } = context;
  const work = await findWork(context);
  if (!work || 'refused' in work) return false;
  const { head: pushed, content, made_from } = await deps.store.publications.of(state.run);
  for (const made of [{ sha: pushed, content }, { ...made_from }]) {
    if (made.sha === undefined || made.content !== contentOf(work)) continue;
    if (made.sha === head || (await github.hasCommit(head, made.sha))) return true;
  }
  return false;
}

/** Undefined: there is nothing to push. An update is none without the pull request that it was made for. */
async function pushAside(
  context: EffectContext,
  { round, ending }: LateWork,
): Promise<Pick<Reply, 'detail' | 'link'> | undefined> {
  if (round?.update) return undefined;
  const { deps, github, state, target } = context;
  // The round counts as over, with the work that it has.
  const over = { ...context, state: withResult(state, round) };
  const work = await findWork(over);
  if (!work) return undefined;
  const own = round ? 'Its work' : 'It';
  if ('refused' in work) return notKept(own, work.refused.why);
  if (work.files.length === 0 && work.leftOut.length > 0)
    return notKept(own, `none of the ${work.leftOut.length} changed files can be committed`);
  if (work.files.length === 0) return undefined;
  const branch = `autobuild/issue-${target.issue}-${state.run}-${ending}`;
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
  const what = !round || hasResult(round) ? own : 'That work, which was not finished or verified,';
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

function notKept(what: string, why: string): Pick<Reply, 'detail'> {
  return { detail: `${what} cannot be kept: ${why}.\n${HOW_TO_RETRY.label}` };
}

function withResult(state: RunState, round: LateWork['round']): RunState {
  if (!round || hasResult(round)) return state;
  const { revisions = [] } = state;
  return { ...state, revisions: [...revisions.slice(0, -1), { ...round, outcome: 'partial' }] };
}
