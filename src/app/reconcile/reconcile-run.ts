import { GitHubError } from '../../core/ports/github-port.ts';
import type { PlacedRun } from '../../core/ports/run-log.ts';
import type { AppDependencies } from '../dependencies.ts';
import { watchRun } from '../workers/watch-jobs.ts';
import { numbersOf } from './list-comments.ts';
import { lookAfterJobs } from './look-after-jobs.ts';
import { reconcileBase } from './reconcile-base.ts';
import { reconcileCi } from './reconcile-ci.ts';
import { catchUp } from './reconcile-comments.ts';
import { compareWithIssue } from './reconcile-issue.ts';
import { readPullRequest, readReviewsAgain, readReviewsOf } from './reconcile-pull-requests.ts';
import type { RepositoryRound } from './repository-round.ts';

/** Comments that GitHub lists in one call. */
const ONE_PAGE = 100;

interface Told {
  /** A comment that an event tells of. */
  comment?: RepositoryRound['told'];
  /** The event is about the issue itself, and tells more than GitHub would if it were asked. */
  isAboutIssue?: boolean;
  /** The same for the pull request. */
  isAboutPull?: boolean;
}

/**
 * Compares one run with GitHub: its issue, its comments, its pull request with the reviews, its jobs. Nothing is asked about the
 * rest of the repository, so a desk that is there for one event can afford it. Returns the errors of the parts that could not be
 * read.
 */
export async function reconcileRun(deps: AppDependencies, run: string, told: Told = {}): Promise<unknown[]> {
  const { runs, publications } = deps.store;
  const { state } = await runs.load(run);
  const placed = (await runs.placed('working', 'waiting', 'resting')).find((one) => one.run === run);
  if (!state || !placed) return [];
  const github = await deps.github(placed.target);
  const errors: unknown[] = [];
  const attempt: RepositoryRound['attempt'] = async (about, work) => {
    try {
      await work();
      return true;
    } catch (error) {
      // Another desk has the state, so nothing that is read from here on would be kept.
      if (deps.mustStop?.(error)) throw error;
      // GitHub asks for a pause, so nothing more is read.
      if (error instanceof GitHubError && error.retryAfter !== undefined) throw error;
      deps.log.warn({ ...about, error: String(error) }, 'this part of a run could not be reconciled');
      errors.push(error);
      return false;
    }
  };
  const round: RepositoryRound = {
    deps,
    github,
    polled: {},
    attempt,
    mayRead: () => true,
    told: told.comment,
    hearsAtRest: true,
  };
  const isResting = placed.phase === 'resting';
  if (!isResting && !told.isAboutIssue)
    await attempt({ run, part: 'issue' }, async () => {
      const { issue: number } = placed.target;
      const issue = await github.issue(number);
      // The comments of the run and its question are among them, and need not be asked for one by one.
      if (issue && issue.comments <= ONE_PAGE) {
        const all = await github.comments(number);
        round.comments = { number, all };
        round.present = new Set(all.map(({ id }) => id));
      }
      await compareWithIssue(round, placed, issue);
    });
  for (const number of numbersOf(placed))
    await attempt({ run, part: 'comments', number }, () => catchUp(round, placed, number, true));
  if (!isResting) await attempt({ run, part: 'jobs' }, () => lookAfterJobs(deps, github, placed));
  const { pull } = await publications.of(run);
  if (pull !== undefined)
    await attempt({ run, part: 'pull request' }, () =>
      readPull(round, { ...placed, pull }, told.isAboutPull ?? false),
    );
  if (placed.phase === 'working')
    await attempt({ run, part: 'watch' }, async () => watchRun(deps, run, await deps.store.now()));
  return errors;
}

/** An event about the pull request tells of its state and its description, but not of reviews whose events were dropped. */
async function readPull(
  round: RepositoryRound,
  placed: PlacedRun & { pull: number },
  isTold: boolean,
): Promise<void> {
  const { deps, github } = round;
  if (isTold) {
    await readReviewsOf(deps, github, placed);
    return;
  }
  const found = await github.pullRequest(placed.pull);
  if (found) await readPullRequest(round, placed, found, false);
  await readReviewsAgain(round, placed);
  await reconcileCi(round, placed);
  await reconcileBase(round, placed);
}
