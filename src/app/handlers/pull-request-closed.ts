import { isUnderWay, type RunState } from '../../core/contracts/run-state.ts';
import type { GitHub, PullRequest } from '../../core/ports/github-port.ts';
import type { RunTarget } from '../../core/ports/run-target.ts';
import type { AppDependencies } from '../dependencies.ts';
import { handleInput } from '../handle-input.ts';
import { IN_QUEUE } from '../revise/changed-pull.ts';
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
  const refused = await isWorkRefused(deps, run, number);
  await handleInput(deps, run, { type: 'judged', at, outcome, by, pull: number, refused }, [seen]);
}

/** A push that is tried again sees for itself that it is too late. Undefined: there is no refused work. */
async function isWorkRefused(deps: AppDependencies, run: string, number: number): Promise<true | undefined> {
  const { unpublished, pull } = await deps.store.publications.of(run);
  if (!unpublished || pull !== number) return undefined;
  return unpublished.why === NOT_YET.why || unpublished.why === IN_QUEUE.why ? undefined : true;
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
  const login = (ended === 'ours' ? undefined : ended?.login) ?? 'someone';
  await onPullRequestClosed(deps, { repo_id, number, merged, login, seen: `pull-closed:${seen}` });
}
