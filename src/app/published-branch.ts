import type { LeftOut } from '../comments/github/sections/branch-standing.ts';
import type { CiRequest } from '../core/ports/publications.ts';
import type { RunTarget } from '../core/ports/run-target.ts';
import type { AppDependencies } from './dependencies.ts';

/** Marks a commit of ours whose parent is somebody else's. */
const ON_TOP = 'on-top:';
const MOST_LEFT_OUT = 20;
/** Somebody who is on all of these wants none of them to be ours. */
const MOST_OWN = 20;
const MOST_NEWEST = 5;
const MOST_CHARS = 300;

interface PublishedBranch {
  /**
   * The issue's branch, which later runs of the issue continue; or the run's own branch, once others have commits on the issue's.
   */
  name(): Promise<string>;
  /** Branches of the run's own, for when the present one has commits of others. Any of these may have some, too. */
  ownNames(): string[];
  moveTo(branch: string): Promise<void>;
  /** Whether this run or an earlier one of the issue made the commit, and nobody else has one below it. */
  isOurs(sha: string): Promise<boolean>;
  addOurs(sha: string): Promise<void>;
  /** The same for a commit on top of somebody else's (V-5). The branch is not moved away from it by force. */
  isOursOnTop(sha: string): Promise<boolean>;
  addOursOnTop(sha: string): Promise<void>;
  /** The last few commits that were made for the issue, newest first. They may not be on a branch. */
  newest(): Promise<string[]>;
  /** Our newest commit. */
  head(): Promise<string | undefined>;
  setHead(sha: string): Promise<void>;
  ciRequest(): Promise<CiRequest | undefined>;
  setCiRequest(request: CiRequest): Promise<void>;
  /** The commit that has the place of this one, if it was made again with another message. */
  placeOf(): Promise<(sha: string) => string>;
  setReworded(places: Record<string, string>): Promise<void>;
  leftOut(): Promise<LeftOut | undefined>;
  setLeftOut(files: LeftOut['files']): Promise<void>;
}

/** The branch of a run, as recorded in its publication. */
export function publishedBranch(
  { store: { publications } }: Pick<AppDependencies, 'store'>,
  run: string,
  { repo_id, issue }: Pick<RunTarget, 'repo_id' | 'issue'>,
): PublishedBranch {
  const ofIssue = `autobuild/issue-${issue}`;
  return {
    name: async () => (await publications.of(run)).branch ?? ofIssue,
    ownNames: () =>
      Array.from(
        { length: MOST_OWN },
        (_, index) => `${ofIssue}-${run}${index === 0 ? '' : `-${index + 1}`}`,
      ),
    moveTo: (branch) => publications.change(run, { branch }),
    isOurs: async (sha) => (await publications.ownCommits(repo_id, issue)).includes(sha),
    addOurs: (sha) => publications.addOwnCommit(repo_id, issue, sha),
    async isOursOnTop(sha) {
      const own = await publications.ownCommits(repo_id, issue);
      return own.includes(sha) || own.includes(`${ON_TOP}${sha}`);
    },
    addOursOnTop: (sha) => publications.addOwnCommit(repo_id, issue, `${ON_TOP}${sha}`),
    newest: async () =>
      (await publications.ownCommits(repo_id, issue))
        .slice(-MOST_NEWEST)
        .map((sha) => (sha.startsWith(ON_TOP) ? sha.slice(ON_TOP.length) : sha))
        .reverse(),
    head: async () => (await publications.of(run)).head,
    setHead: (head) => publications.change(run, { head }),
    ciRequest: async () => (await publications.of(run)).ci,
    setCiRequest: (ci) => publications.change(run, { ci }),
    async placeOf() {
      const { reworded = {} } = await publications.of(run);
      return function find(sha): string {
        const next = reworded[sha];
        return next === undefined ? sha : find(next);
      };
    },
    async setReworded(places) {
      const { reworded } = await publications.of(run);
      await publications.change(run, { reworded: { ...reworded, ...places } });
    },
    leftOut: async () => (await publications.of(run)).left_out,
    setLeftOut(files) {
      const shown = files.slice(0, MOST_LEFT_OUT).map(({ path, problem }) => ({
        path: path.slice(0, MOST_CHARS),
        problem: problem.slice(0, MOST_CHARS),
      }));
      return publications.change(run, { left_out: { files: shown, total: files.length } });
    },
  };
}
