import type { PolledRepository } from '../../core/ports/cursors.ts';
import { GitHubError, type GitHubIssue } from '../../core/ports/github-port.ts';
import type { PlacedRun } from '../../core/ports/run-log.ts';
import type { AppDependencies } from '../dependencies.ts';
import { onArchived } from '../handlers/installation.ts';
import type { FirstReads } from './first-reads.ts';
import { hasPassed } from './has-passed.ts';
import { type ListedComments, listComments } from './list-comments.ts';
import { lookAfterJobs } from './look-after-jobs.ts';
import { hearAtRest, reconcileComments } from './reconcile-comments.ts';
import { compareAbsent, compareAtRest, compareListed, lookIfPutOff } from './reconcile-issue.ts';
import { readLabelled, readLabelledPull } from './reconcile-labels.ts';
import { reconcilePullRequests } from './reconcile-pull-requests.ts';
import type { PolledTarget, RepositoryRound } from './repository-round.ts';

/** A label that the repository does not have is looked for this often, because GitHub counts the answer that it is missing. */
const SPELLING_MS = 3_600_000;
/**
 * Labels, comments and records change together, but not at one moment. A list that changed this recently is read once more,
 * before an unchanged one is trusted.
 */
const UNSETTLED_MS = 90_000;

/** Compares all runs of one repository with GitHub. Three lists are read, and GitHub counts only those that changed. */
export async function reconcileRepository(
  deps: AppDependencies,
  target: PolledTarget,
  firstReads: FirstReads,
): Promise<void> {
  const { repo_id, runs } = target;
  if (target.archived) return onArchived(deps, repo_id, `${target.owner}/${target.repo}`);
  const github = await deps.github(target);
  const before = (await deps.store.cursors.get('polled', String(repo_id))) ?? {};
  const polled: PolledRepository = structuredClone(before);
  const problems: unknown[] = [];
  const attempt = async (about: object, work: () => Promise<void>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      // GitHub asks for a pause, so nothing more is read here.
      if (error instanceof GitHubError && error.retryAfter !== undefined) throw error;
      deps.log.warn({ ...about, error: String(error) }, 'this part of a repository could not be reconciled');
      problems.push(error);
      return false;
    }
  };
  const underWay = runs.filter(({ phase }) => phase !== 'resting');
  if (polled.unread) {
    polled.issues = undefined;
    polled.unread = undefined;
  }
  const mayRead: RepositoryRound['mayRead'] = ({ phase }, calls) =>
    phase === 'working' || firstReads.take(calls);
  const round: RepositoryRound = { deps, github, polled, attempt, mayRead };
  try {
    const listing = await readIssues(round).catch((error: unknown) => {
      // A refusal may mean that the App was suspended or removed and the webhook for it was lost. Each run finds out why.
      if (underWay.length === 0 || !isRefused(error)) throw error;
      problems.push(error);
      return { items: [], etags: undefined };
    });
    const issues = listing?.items.filter(({ is_pull }) => !is_pull);
    if (issues) polled.listed = issues.map(({ number }) => number);
    // A list is known only once everything in it was handled: the next round would trust it otherwise, however this one ends.
    const etags = listing ? listing.etags : polled.issues;
    polled.issues = undefined;
    let isAll = true;
    // Before the runs are compared with their issues, because a comment in the list need not be looked for.
    const lists: ListedComments[] = [];
    await attempt({ list: 'comments' }, async () => {
      const listed = await listComments(round, underWay);
      if (listed) lists.push(listed);
    });
    round.present = new Set(lists.flatMap(({ listing }) => listing?.items ?? []).map(({ id }) => id));
    for (const placed of underWay) {
      const { run } = placed;
      const issue = issues?.find(isOf(placed));
      // A list that has not changed since the run began may be without its issue: it was labelled and closed in between.
      const isMissing = issues !== undefined || polled.listed?.includes(placed.target.issue) === false;
      const compare = async () => {
        if (!issue) await compareAbsent(round, placed, isMissing);
        else if (!(await compareListed(round, placed, issue))) isAll = false;
      };
      if (!(await attempt({ run }, compare))) isAll = false;
      await attempt({ run }, () => lookAfterJobs(deps, github, placed));
    }
    const labelled = issues?.filter(
      ({ number }) => !underWay.some((placed) => placed.target.issue === number),
    );
    for (const issue of labelled ?? []) {
      const isRead = await attempt({ issue: issue.number }, async () => {
        if (!(await readLabelled(deps, github, target, issue))) isAll = false;
      });
      if (!isRead) isAll = false;
    }
    for (const pull of listing?.items.filter(({ is_pull }) => is_pull) ?? []) {
      const isRead = await attempt({ issue: pull.number }, async () => {
        if (!(await readLabelledPull(deps, github, target, pull))) isAll = false;
      });
      if (!isRead) isAll = false;
    }
    for (const listed of lists)
      await attempt({ list: 'comments' }, () => reconcileComments(round, underWay, listed));
    await attempt({ list: 'pull requests' }, () => reconcilePullRequests(round, runs));
    // Last, because runs that wait for people share the first reads with them.
    for (const placed of runs.filter(({ phase }) => phase === 'resting')) {
      const isRead = await attempt({ run: placed.run }, async () => {
        if (!(await readAtRest(round, placed, issues))) isAll = false;
      });
      if (!isRead) isAll = false;
    }
    if (isAll) polled.issues = etags;
  } finally {
    if (JSON.stringify(polled) !== JSON.stringify(before))
      await deps.store.cursors.set('polled', String(repo_id), polled);
  }
  if (problems.length > 0) throw problems[0];
}

/**
 * A run that a newer one of its issue has replaced shows nothing any more, and commands there are the newer one's. Returns false if
 * it is to be read again soon.
 */
async function readAtRest(
  round: RepositoryRound,
  placed: PlacedRun,
  issues: GitHubIssue[] | undefined,
): Promise<boolean> {
  const { target, run } = placed;
  if ((await round.deps.store.runs.ofIssue(target.repo_id, target.issue)) !== run) return true;
  const issue = issues?.find(isOf(placed));
  const isThere = issues ? await compareAtRest(round, placed, issue) : await lookIfPutOff(round, placed);
  await hearAtRest(round, placed, target.issue, issue?.updated_at);
  return isThere;
}

function isOf({ target }: PlacedRun): (issue: GitHubIssue) => boolean {
  return ({ number }) => number === target.issue;
}

function isRefused(error: unknown): boolean {
  return (
    error instanceof GitHubError &&
    error.retryAfter === undefined &&
    [401, 403, 404, 410, 451].includes(error.status)
  );
}

/** The open issues with the label; undefined if nothing changed. Without ETags if they are to be read once more. */
async function readIssues({
  deps,
  github,
  polled,
}: RepositoryRound): Promise<{ items: GitHubIssue[]; etags?: PolledRepository['issues'] } | undefined> {
  const now = deps.now();
  const { label: known } = polled;
  const isAsked =
    known?.etag === undefined &&
    known &&
    !hasPassed(SPELLING_MS, { since: Date.parse(known.asked_at), now: now.getTime() });
  const spelling = isAsked ? 'unchanged' : await github.labelSpelling(deps.settings.label, known?.etag);
  if (spelling !== 'unchanged' || !known) {
    const { name = deps.settings.label, etag } = spelling === 'unchanged' ? {} : (spelling ?? {});
    if (name !== known?.name) polled.issues = undefined;
    polled.label = { name, etag, asked_at: now.toISOString() };
  }
  const name = polled.label?.name ?? deps.settings.label;
  const listing = await github.issuesWithLabel(name, polled.issues);
  if (!listing) return undefined;
  const { items, etags } = listing;
  const isSettled = items.every(({ updated_at }) => now.getTime() - Date.parse(updated_at) > UNSETTLED_MS);
  return { items, etags: isSettled ? etags : undefined };
}
