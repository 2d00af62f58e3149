import { isUnderWay, phaseOf, type RunState } from '../../core/contracts/run-state.ts';
import type { GitHub, PullRequest } from '../../core/ports/github-port.ts';
import type { PlacedRun } from '../../core/ports/run-log.ts';
import type { AppDependencies } from '../dependencies.ts';
import { noticeFate } from '../handlers/pull-request-closed.ts';
import { onPullRequestEdited } from '../handlers/pull-request-edited.ts';
import { onReviewSubmitted } from '../handlers/review-submitted.ts';
import { isBefore, labellingOf } from '../labelling.ts';
import { lastEditByPerson } from '../last-person.ts';
import { newTicks } from '../ticked-boxes.ts';
import { reconcileBase } from './reconcile-base.ts';
import { reconcileCi } from './reconcile-ci.ts';
import { catchUp, hearAtRest, SAME_MOMENT_MS } from './reconcile-comments.ts';
import { reconcileRemarks } from './reconcile-remarks.ts';
import type { RepositoryRound } from './repository-round.ts';

/**
 * Reads the pull requests of a repository's runs in one list: what became of them, the box in their description, their reviews.
 * A pull request that is new to reconcile and not in the list is read on its own.
 */
export async function reconcilePullRequests(round: RepositoryRound, runs: PlacedRun[]): Promise<void> {
  const { deps, github, polled, attempt, mayRead } = round;
  const published = runs.flatMap((placed) =>
    placed.pull === undefined ? [] : [{ ...placed, pull: placed.pull }],
  );
  if (published.length === 0) {
    polled.pulls = undefined;
    return;
  }
  const known = polled.pulls;
  const listing = await github.pullRequests(known?.since, known?.etags);
  let isAll = true;
  for (const placed of published) {
    const listed = listing?.items.find(({ number }) => number === placed.pull);
    const isRead = await attempt({ run: placed.run }, async () => {
      const cursor = await deps.store.cursors.get('run', placed.run);
      const isKnown = known !== undefined && cursor?.pull_digest?.startsWith(`${placed.pull} `);
      // Its reviews are read with it. Without its digest it stays to be read, also when the list is known.
      if (!listed && !isKnown && !mayRead(placed, 2))
        return change(deps, placed.run, { pull_digest: undefined });
      const pull = listed ?? (isKnown ? undefined : await github.pullRequest(placed.pull));
      if (pull) await readPullRequest(round, placed, pull, listed !== undefined);
      // People may have written there before its number was known here.
      await catchUp({ ...round, hearsAtRest: true }, placed, placed.pull, false);
      if (pull?.state !== 'closed') await hearAtRest(round, placed, placed.pull, pull?.updated_at);
      await readReviewsAgain(deps, github, placed);
      await reconcileCi(round, placed);
      await reconcileBase(round, placed);
    });
    if (!isRead) isAll = false;
  }
  if (!listing || !isAll) return;
  const since = listing.items[0]?.updated_at ?? known?.since;
  polled.pulls = since === undefined ? undefined : { since, etags: listing.etags };
}

/** One pull request of a run: closed, merged, its box, its reviews. */
export async function readPullRequest(
  { deps, github, mayRead }: RepositoryRound,
  placed: PlacedRun,
  pull: PullRequest,
  isListed: boolean,
): Promise<void> {
  const { run, target } = placed;
  const { cursors, runs } = deps.store;
  const { number, body, updated_at, merged } = pull;
  const pull_digest = `${number} ${deps.hash(JSON.stringify([updated_at, pull.state, merged, body])).slice(0, 16)}`;
  if ((await cursors.get('run', run))?.pull_digest === pull_digest) return;
  const { state } = await runs.load(run);
  if (!state || phaseOf(state) === 'ended') return;
  if (isUnderWay(state) || pull.state === 'closed') await noticeFate(deps, github, state, target, pull);
  if (pull.state === 'open') await readBox(deps, github, target.repo_id, pull);
  const { reviewed } = (await cursors.get('run', run)) ?? {};
  if (!merged && reviewed?.at !== updated_at) {
    if (isListed && reviewed === undefined && !mayRead(placed, 1)) return;
    await readReviews(deps, github, state, target.repo_id, number);
    await change(deps, run, { reviewed: { at: updated_at, settled: isPast(deps, updated_at) } });
  }
  await change(deps, run, { pull_digest });
}

/** A review of the same second as one that was read is found once that second is over for certain. */
export async function readReviewsAgain(
  deps: AppDependencies,
  github: GitHub,
  { run, target, pull }: PlacedRun & { pull: number },
): Promise<void> {
  const { reviewed } = (await deps.store.cursors.get('run', run)) ?? {};
  if (!reviewed || reviewed.settled || !isPast(deps, reviewed.at)) return;
  if (await readReviewsOf(deps, github, { run, target, pull }))
    await change(deps, run, { reviewed: { ...reviewed, settled: true } });
}

/** False if the run has ended, so that nothing is read. */
export async function readReviewsOf(
  deps: AppDependencies,
  github: GitHub,
  { run, target, pull }: Pick<PlacedRun, 'run' | 'target'> & { pull: number },
): Promise<boolean> {
  const { state } = await deps.store.runs.load(run);
  if (!state || phaseOf(state) === 'ended') return false;
  await readReviews(deps, github, state, target.repo_id, pull);
  return true;
}

function isPast({ now }: AppDependencies, at: string): boolean {
  return now().getTime() - Date.parse(at) > SAME_MOMENT_MS;
}

async function change(
  { store }: AppDependencies,
  run: string,
  part: { reviewed?: { at: string; settled: boolean }; pull_digest?: string },
): Promise<void> {
  await store.cursors.set('run', run, { ...(await store.cursors.get('run', run)), ...part });
}

async function readReviews(
  deps: AppDependencies,
  github: GitHub,
  state: RunState,
  repo_id: number,
  number: number,
): Promise<void> {
  const { at } = await labellingOf(deps, state);
  const reviews = (await github.reviews(number)).filter(
    ({ author_type, submitted_at }) => author_type === 'User' && !isBefore(submitted_at, at),
  );
  for (const review of reviews) {
    const { author: login } = review;
    await onReviewSubmitted(deps, github, { review, login, repo_id, number, foundLate: true });
  }
  // Every remark belongs to a review, so without one there is nothing to ask for.
  if (reviews.length > 0) await reconcileRemarks(deps, github, { repo_id, number, since: at });
}

/** A tick found late is attributed to the last editor of the description. */
async function readBox(
  deps: AppDependencies,
  github: GitHub,
  repo_id: number,
  { number, body, node_id, updated_at }: PullRequest,
): Promise<void> {
  if (newTicks('', body).length === 0) return;
  const { by: login, at: said_at } = (await lastEditByPerson(github, node_id)) ?? {};
  await onPullRequestEdited(deps, github, {
    ...{ repo_id, number, before: '', body, login, at: updated_at, said_at },
  });
}
