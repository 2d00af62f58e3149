import type { RunState } from '../../core/contracts/run-state.ts';
import type { GitHub, PullRequest } from '../../core/ports/github-port.ts';
import type { RunTarget } from '../../core/ports/run-target.ts';
import type { AppDependencies } from '../dependencies.ts';
import { noticeFate } from '../handlers/pull-request-closed.ts';
import { onPullRequestEdited } from '../handlers/pull-request-edited.ts';
import { onReviewSubmitted } from '../handlers/review-submitted.ts';
import { isBefore, labellingOf } from '../labelling.ts';
import { lastPerson } from '../last-person.ts';
import { newTicks } from '../ticked-boxes.ts';

const REVIEWED_EVERY_MS = 15 * 60_000;
/** Only this many of the newest runs are checked. Older ones were reviewed long ago or abandoned. */
const MOST_RUNS = 200;
/** GitHub's times are whole seconds of its own clock, so something may have changed later in the same second. */
const SAME_MOMENT_MS = 10 * 60_000;

/** Reads the box, the comments and the reviews of an active run's pull request. Costs one call if nothing changed. */
export async function reconcilePullRequest(
  deps: AppDependencies,
  github: GitHub,
  state: RunState,
  target: RunTarget,
  readComments: (pullRequest: number) => Promise<void>,
): Promise<void> {
  const pull = await readPullRequest(deps, github, state);
  if (!pull) return;
  await noticeFate(deps, github, state, target, pull);
  if (pull.merged) return;
  if (pull.state === 'open') await readBox(deps, github, target, pull);
  const { cursors } = deps.store;
  if ((await cursors.get('run', state.run))?.pull === pull.updated_at) return;
  await readComments(pull.number);
  const { at } = await labellingOf(deps, state);
  for (const review of await github.reviews(pull.number)) {
    if (review.author_type !== 'User' || isBefore(review.submitted_at, at)) continue;
    await onReviewSubmitted(deps, github, {
      review,
      login: review.author,
      repo_id: target.repo_id,
      number: pull.number,
      foundLate: true,
    });
  }
  const settled = deps.now().getTime() - Date.parse(pull.updated_at) > SAME_MOMENT_MS;
  if (settled)
    await cursors.set('run', state.run, {
      ...(await cursors.get('run', state.run)),
      pull: pull.updated_at,
    });
}

/** Runs in review are not active any more, so they are checked less often. */
export async function reconcileReviewing(deps: AppDependencies): Promise<void> {
  const last = await deps.store.cursors.get('resting', 'all');
  if (last && deps.now().getTime() - Date.parse(last.read_at) < REVIEWED_EVERY_MS) return;
  await deps.store.cursors.set('resting', 'all', { read_at: deps.now().toISOString() });
  const resting = await deps.store.runs.inPhase('resting');
  for (const run of resting.slice(-MOST_RUNS)) {
    const { state } = await deps.store.runs.load(run);
    const target = await deps.store.runs.target(run);
    if (!state || !target) continue;
    try {
      await readVerdict(deps, await deps.github(target), state, target);
    } catch (error) {
      deps.log.warn({ run, error: String(error) }, 'the pull request of this run could not be read');
    }
  }
}

async function readVerdict(
  deps: AppDependencies,
  github: GitHub,
  state: RunState,
  target: RunTarget,
): Promise<void> {
  const pull = await readPullRequest(deps, github, state);
  if (!pull) return;
  if (pull.state === 'open') return readBox(deps, github, target, pull);
  await noticeFate(deps, github, state, target, pull);
}

async function readPullRequest(
  deps: AppDependencies,
  github: GitHub,
  { run }: RunState,
): Promise<PullRequest | undefined> {
  const { pull } = await deps.store.publications.of(run);
  return pull === undefined ? undefined : github.pullRequest(pull);
}

/** A tick found late is attributed to the last editor of the description. */
async function readBox(
  deps: AppDependencies,
  github: GitHub,
  target: RunTarget,
  pull: PullRequest,
): Promise<void> {
  const { number, body } = pull;
  if (newTicks('', body).length === 0) return;
  const login = await lastPerson(github, pull.node_id);
  const { repo_id } = target;
  await onPullRequestEdited(deps, github, { repo_id, number, before: '', body, login, at: pull.updated_at });
}
