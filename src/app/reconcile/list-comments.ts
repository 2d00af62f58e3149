import type { PolledRepository } from '../../core/ports/cursors.ts';
import { type GitHubComment, GitHubError, type Listing } from '../../core/ports/github-port.ts';
import type { PlacedRun } from '../../core/ports/run-log.ts';
import { labellingOf } from '../labelling.ts';
import type { RepositoryRound } from './repository-round.ts';

/** GitHub may list a comment a little after its creation. Comments that are read twice are handled once. */
export const OVERLAP_MS = 60_000;
/** A list that is longer than this begins at a later time, which costs one counted call. */
const SHORT = 50;
/** the first list of a repository is cut here. Runs whose comments are older than that are read on their own. */
const FIRST_PAGES = 1;

export type Numbered = GitHubComment & { number: number };

/** A run, the number of its issue or of its pull request, and since when its comments there are unread. */
interface Unread {
  placed: PlacedRun;
  number: number;
  from: string;
}

/** The comments of a repository since some time, in one list. */
export interface ListedComments {
  since: string;
  /** Undefined if nothing changed. */
  listing: Listing<Numbered> | undefined;
  /** The list has all comments of these, so that they need not be read on their own. Only a first list tells. */
  covered: Unread[];
}

/**
 * Reads the list of a repository. The first one begins with the oldest comment that may be unread, so that most runs need no
 * call of their own. Times are by GitHub's clock, which may differ from the desk's.
 */
export async function listComments(
  { deps, github, polled }: RepositoryRound,
  runs: PlacedRun[],
): Promise<ListedComments | undefined> {
  if (runs.length === 0) {
    polled.comments = undefined;
    return undefined;
  }
  if (polled.comments) {
    const { since, etags } = polled.comments;
    const listing = await github.commentsOfAll(since, etags).catch((error: unknown) => {
      // Too many to read: the desk was away for long. The next round begins with a first list again.
      if (error instanceof GitHubError && error.status === 413) polled.comments = undefined;
      throw error;
    });
    return { since, listing, covered: [] };
  }
  const unread: Unread[] = [];
  for (const placed of runs)
    for (const number of numbersOf(placed)) {
      const from = await unreadSince(deps, placed.run, number);
      if (from !== undefined) unread.push({ placed, number, from });
    }
  const since = earlier(Math.min(...unread.map(({ from }) => Date.parse(from))));
  const listing = await github.commentsOfAll(since, [], FIRST_PAGES);
  const oldest = listing?.isCut ? oldestOf(listing.items) : Number.NEGATIVE_INFINITY;
  return { since, listing, covered: unread.filter(({ from }) => Date.parse(from) - OVERLAP_MS > oldest) };
}

/** The issue and its pull request. */
export function numbersOf({ target, pull }: Pick<PlacedRun, 'target' | 'pull'>): number[] {
  return pull === undefined ? [target.issue] : [target.issue, pull];
}

/** The time up to which the comments were read, or that of the label. Undefined if there is no such run. */
export async function unreadSince(
  deps: RepositoryRound['deps'],
  run: string,
  number: number,
): Promise<string | undefined> {
  const last = (await deps.store.cursors.get('run', run))?.comments?.[number];
  if (last !== undefined) return last;
  const { state } = await deps.store.runs.load(run);
  return state && (await labellingOf(deps, state)).at;
}

/** The time moves on only when the list has become long, because the ETags are those of the list since that time. */
export function continueFrom(
  read: NonNullable<PolledRepository['comments']>,
  { items, isCut }: Pick<Listing<Numbered>, 'items' | 'isCut'>,
): NonNullable<PolledRepository['comments']> {
  if (items.length <= SHORT && !isCut) return read;
  const since = earlier(newestOf(items.map(({ updated_at }) => updated_at)));
  if (Date.parse(since) <= Date.parse(read.since)) return read;
  const kept = items.filter(({ updated_at }) => Date.parse(updated_at) >= Date.parse(since));
  const handled = kept.flatMap(({ id }) => {
    const digest = read.handled[id];
    return digest === undefined ? [] : [[String(id), digest]];
  });
  return { since, etags: [], handled: Object.fromEntries(handled) };
}

export function newestOf(times: string[]): number {
  return Math.max(0, ...times.map((at) => Date.parse(at)));
}

function oldestOf(items: Numbered[]): number {
  return Math.min(...items.map(({ updated_at }) => Date.parse(updated_at)));
}

function earlier(ms: number): string {
  return new Date(Math.max(0, Math.floor(ms / 1_000) * 1_000 - OVERLAP_MS)).toISOString();
}
