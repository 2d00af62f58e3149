import { skipsCi } from '../../comments/text/skip-ci.ts';
import { isUnderWay, type RunState } from '../../core/contracts/run-state.ts';
import type { GitHub, PullRequest } from '../../core/ports/github-port.ts';
import type { RunTarget } from '../../core/ports/run-target.ts';
import type { AppDependencies } from '../dependencies.ts';
import { handleInput, write } from '../handle-input.ts';
import { IN_QUEUE } from '../revise/changed-pull.ts';
import { lateWorkOf } from '../revise/late-work-of.ts';
import { NOT_YET } from '../unpublished.ts';
import { whoEnded } from '../who-ended.ts';

interface PullRequestChange {
  repo_id: number;
  number: number;
  login: string;
  seen: string;
}

/** A merge approves the run's work; a close without a merge rejects it. */
export async function onPullRequestClosed(
  deps: AppDependencies,
  closed: PullRequestChange & { merged: boolean },
): Promise<void> {
  const { number, login: by, seen } = closed;
  const run = await deps.store.publications.ofPull(closed.repo_id, number);
  if (!run || (!closed.merged && !(await isStillClosed(deps, run, number)))) return;
  const at = deps.now().toISOString();
  const outcome = closed.merged ? 'approved' : 'rejected';
  await handleInput(deps, run, { type: 'judged', at, outcome, by, pull: number }, [seen]);
  await keepUnpublished(deps, run, closed);
  if (closed.merged) await warnOfSkippedCi(deps, run, number);
}

/**
 * V-1: the run rested with work that GitHub had refused. The next round would have begun with it, and there is none now, so that it
 * is put aside like work which came too late. The receipt must not offer another round.
 */
async function keepUnpublished(
  deps: AppDependencies,
  run: string,
  { number }: Pick<PullRequestChange, 'number'>,
): Promise<void> {
  const { state } = await deps.store.runs.load(run);
  const { unpublished, pull } = await deps.store.publications.of(run);
  const isJudged = state?.status === 'approved' || state?.status === 'rejected';
  const late = isJudged ? lateWorkOf(state) : undefined;
  if (!late || !unpublished || pull !== number) return;
  // A push that is tried again sees for itself that it is too late.
  if (unpublished.why === NOT_YET.why || unpublished.why === IN_QUEUE.why) return;
  await write(
    deps,
    run,
    [{ type: 'publish', ready: true }, { type: 'show_receipt' }],
    [`left-work:${run}:${number}:${late.round?.number ?? late.ending}`],
  );
}

/** A squash takes over the messages of all commits, and a rebase their last one. */
async function warnOfSkippedCi(deps: AppDependencies, run: string, number: number): Promise<void> {
  const target = await deps.store.runs.target(run);
  if (!target) return;
  const github = await deps.github(target);
  const sha = (await github.pullRequest(number))?.merge_sha;
  const message = sha && (await github.commitMessage(sha));
  if (!message || !skipsCi(message)) return;
  const reply = {
    tone: 'waiting' as const,
    title: `CI did not run on \`${target.default_branch}\` for this merge: the message of ${sha.slice(0, 7)} tells GitHub to skip it.`,
    detail: `Push a commit to \`${target.default_branch}\`, or start its workflows manually in the Actions tab. Next time tick *Run CI on this branch* before merging, or remove the line in brackets from the message.`,
  };
  await write(deps, run, [{ type: 'reply', reply, on: number }], [`skipped-ci:${run}:${sha}`]);
}

/**
 * Checked because a delivery may be late: the run may have another pull request by then, or people may have reopened this one.
 */
async function isStillClosed(deps: AppDependencies, run: string, number: number): Promise<boolean> {
  if ((await deps.store.publications.of(run)).pull !== number) return false;
  const { state } = await deps.store.runs.load(run);
  const target = await deps.store.runs.target(run);
  if (!state || !target || !isUnderWay(state)) return true;
  const github = await deps.github(target);
  return (await github.pullRequest(number))?.state === 'closed';
}

export async function onPullRequestReopened(
  deps: AppDependencies,
  reopened: PullRequestChange,
): Promise<void> {
  const { number: pull, login: by, seen } = reopened;
  const run = await deps.store.publications.ofPull(reopened.repo_id, pull);
  if (!run) return;
  const at = deps.now().toISOString();
  await handleInput(deps, run, { type: 'reopened', at, by, pull }, [seen]);
}

/** Handles a close or reopen that was read from GitHub, for the case that its webhook was lost. */
export async function noticeFate(
  deps: AppDependencies,
  github: GitHub,
  state: RunState,
  { repo_id }: Pick<RunTarget, 'repo_id'>,
  pull: PullRequest,
): Promise<void> {
  const { number, merged, updated_at } = pull;
  const known = state.closed_pull?.number === number;
  const seen = `${state.run}:${number}:${updated_at}`;
  if (pull.state === 'open') {
    if (!known) return;
    return onPullRequestReopened(deps, { repo_id, number, login: 'someone', seen: `pull-open:${seen}` });
  }
  if (known && !merged) return;
  const ended = await whoEnded(deps, github, number, 'closed');
  const login = (ended === 'ours' ? undefined : ended.login) ?? 'someone';
  await onPullRequestClosed(deps, { repo_id, number, merged, login, seen: `pull-closed:${seen}` });
}
