import type { Reply } from '../../core/contracts/effect.ts';
import { GitHubError, type PullRequest } from '../../core/ports/github-port.ts';
import { renderDescription, writeDescription } from '../effects/describe-pull-request.ts';
import type { EffectContext } from '../effects/effect-context.ts';
import { write } from '../handle-input.ts';
import { onPullRequestFound } from '../handlers/pull-request-found.ts';
import { publishedBranch } from '../published-branch.ts';
import { sayChanged } from '../revise/changed-pull.ts';
import { roundToPublish } from '../revise/last-result.ts';
import { titleOf } from './commit-message.ts';
import { demandOpenPull } from './is-held-back.ts';
import { demandStillWanted } from './still-wanted.ts';

export interface Committed {
  sha: string;
  /** The branch was made for it. */
  isNewBranch: boolean;
}

export async function writePullRequest(
  context: EffectContext,
  ready: boolean,
  committed: Committed | undefined,
): Promise<void> {
  const { deps, github, state, target } = context;
  const branch = publishedBranch(deps, state.run, target);
  const head = committed?.sha ?? (await github.branchHead(await branch.name())) ?? (await branch.head());
  if (head === undefined) return;
  await branch.setHead(head);
  // The pull requests of a branch that was deleted are closed, and closed ones are not reused.
  const present = committed?.isNewBranch ? undefined : await findPullRequest(context);
  await demandStillWanted(context);
  if (!present) await demandOpenPull(context);
  const pull = present ?? (await createPullRequest(context, head, ready));
  const { publications } = deps.store;
  const { pull: before, moved_from, ready: shown } = await publications.of(state.run);
  const isMoved =
    before !== undefined && before !== pull.number && (await leave(context, before, pull.number));
  const moved = isMoved ? { pull: before, round: roundToPublish(state)?.number } : moved_from;
  await publications.change(state.run, { pull: pull.number, moved_from: moved });
  // It was ready before, so that somebody has made it a draft again.
  const isTheirs = shown === pull.number;
  const isDue = ready && pull.draft && !isTheirs;
  if (present && isDue)
    await writeDescription(context, present, head, { send: (body) => github.markReady(pull.node_id, body) });
  else if (present) await describe(context, present, head);
  else if (isDue) await github.markReady(pull.node_id);
  if (ready) {
    await publications.change(state.run, { ready: pull.number });
    await sayChanged(context, isTheirs ? pull : { ...pull, draft: false });
  }
  if (present) await onPullRequestFound(deps, github, { run: state.run, target }, present.number);
}

/** R-3: the work is on the pull request whether or not GitHub takes its description, which is tried again on its own. */
async function describe(context: EffectContext, pull: PullRequest, head: string): Promise<void> {
  try {
    await writeDescription(context, pull, head);
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    const { deps, state, op } = context;
    deps.log.warn({ run: state.run, error: error.message }, 'the description will be tried again');
    await write(deps, state.run, [{ type: 'describe_pull' }], [`describe:${op}`]);
  }
}

/** Tells those who look at the old pull request where the work is. False if nobody does, because it is closed. */
async function leave(
  { deps, github, state, target }: EffectContext,
  from: number,
  to: number,
): Promise<boolean> {
  if ((await github.pullRequest(from))?.state !== 'open') return false;
  const round = roundToPublish(state);
  const { owner, repo } = target;
  const reply: Reply = {
    tone: 'info',
    title: `${round ? `Round ${round.number}` : 'The work'} is in another pull request, because this branch has commits by somebody else.`,
    detail: `Nothing was changed here. ${round?.remarks.length ? 'The answers to the remarks are there. ' : ''}Review and comment there from now on; commands here are not read.`,
    link: { text: `Pull request ${to}`, url: `${deps.settings.webUrl}/${owner}/${repo}/pull/${to}` },
  };
  await write(deps, state.run, [{ type: 'reply', reply, on: from }], [`moved:${state.run}:${from}:${to}`]);
  return true;
}

/**
 * A closed pull request is not reused: it belongs to an earlier run, or to this run before somebody said to continue anyway. People
 * may open others from the same branch, to other bases, which are theirs.
 */
async function findPullRequest({
  deps,
  github,
  state,
  target,
}: EffectContext): Promise<PullRequest | undefined> {
  const branch = await publishedBranch(deps, state.run, target).name();
  const { pull } = await deps.store.publications.of(state.run);
  const known = pull === undefined ? undefined : await github.pullRequest(pull);
  if (known?.state === 'open' && known.branch === branch) return known;
  const found = await github.pullRequestOf(branch, target.default_branch);
  return found?.state === 'open' ? found : undefined;
}

async function createPullRequest(context: EffectContext, head: string, ready: boolean): Promise<PullRequest> {
  const { deps, github, state, target } = context;
  return github.createPullRequest({
    branch: await publishedBranch(deps, state.run, target).name(),
    base: target.default_branch,
    title: await titleOf(context),
    body: await renderDescription(context, head),
    draft: !ready,
  });
}
