import { isFinished, type RunState } from '../../core/contracts/run-state.ts';
import type { GitHub, PullRequest } from '../../core/ports/github-port.ts';
import type { Place } from '../../core/ports/hosted-ports.ts';
import { decideForRun } from '../decide-for-run.ts';
import type { AppParts } from '../dependencies.ts';
import { whoEnded } from '../who-ended.ts';

interface Told {
  repo_id: number;
  number: number;
  login: string;
  seen: string;
}

/** The pull request's fate is the run's. */
export async function onPullRequestClosed(
  parts: AppParts,
  closed: Told & { merged: boolean },
): Promise<void> {
  const { number, login: by, seen } = closed;
  const run = await parts.store.marks.get(`run-of-pull:${closed.repo_id}:${number}`);
  if (!run || (!closed.merged && !(await isClosedStill(parts, run, number)))) return;
  const at = parts.now().toISOString();
  const outcome = closed.merged ? 'approved' : 'rejected';
  await decideForRun(parts, run, { type: 'judged', at, outcome, by, pull: number }, [seen]);
}

/** A delivery may come late: the run has another one since, or people have opened it again. */
async function isClosedStill(parts: AppParts, run: string, number: number): Promise<boolean> {
  if ((await parts.store.marks.get(`pull-of:${run}`)) !== String(number)) return false;
  const { state } = await parts.store.runs.load(run);
  const place = await parts.store.runs.place(run);
  if (!state || !place || isFinished(state)) return true;
  const github = await parts.github(place);
  return (await github.pullRequest(number))?.state === 'closed';
}

export async function onPullRequestReopened(parts: AppParts, reopened: Told): Promise<void> {
  const { number: pull, login: by, seen } = reopened;
  const run = await parts.store.marks.get(`run-of-pull:${reopened.repo_id}:${pull}`);
  if (!run) return;
  const at = parts.now().toISOString();
  await decideForRun(parts, run, { type: 'reopened', at, by, pull }, [seen]);
}

/** What a look at the pull request tells that no webhook has told. */
export async function noticeFate(
  parts: AppParts,
  github: GitHub,
  state: RunState,
  { repo_id }: Pick<Place, 'repo_id'>,
  pull: PullRequest,
): Promise<void> {
  const { number, merged, updated_at } = pull;
  const known = state.closed_pull?.number === number;
  const seen = `${state.run}:${number}:${updated_at}`;
  if (pull.state === 'open') {
    if (!known) return;
    return onPullRequestReopened(parts, { repo_id, number, login: 'someone', seen: `pull-open:${seen}` });
  }
  if (known && !merged) return;
  const ended = await whoEnded(parts, github, number, 'closed');
  const login = (ended === 'ours' ? undefined : ended.login) ?? 'someone';
  await onPullRequestClosed(parts, { repo_id, number, merged, login, seen: `pull-closed:${seen}` });
}
