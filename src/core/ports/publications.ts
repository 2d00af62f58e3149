import type { Unpublished } from '../contracts/comment-context.ts';

/** Why files are missing from a commit. */
interface LeftOutFiles {
  files: { path: string; problem: string }[];
  total: number;
}

/** A person let the repository's CI run on this commit. */
export interface CiRequest {
  /** The head the person saw. */
  of: string;
  sha: string;
  by: string;
  at: string;
}

/** The state of a run's work on GitHub, and results of checks that are not repeated for the same content. */
export interface Publication {
  /** The branch, if it is not the issue's own. */
  branch?: string;
  /** The newest commit of ours on the branch. */
  head?: string;
  pull?: number;
  /** The pull request that we have shown as ready. If it is a draft again, somebody made it one. */
  ready?: number;
  /** The pull request before this one, whose branch has commits of others, and the round that left it. */
  moved_from?: { pull: number; round?: number };
  /** Identifies the changeset and the files left out that the newest commit was made from. */
  content?: string;
  /** The same for the last commit that was made, which may not be on the branch. Known before the branch points to it. */
  made_from?: { sha: string; content: string };
  /** Why the finished work is not on GitHub; null if it is. Absent while that is not known. */
  unpublished?: Unpublished | null;
  /** The head that the work of each round is on, by its number. Missing for rounds of older versions. */
  rounds?: Record<string, string>;
  ci?: CiRequest;
  /** Commits that were made again with another message, and the ones that took their places. */
  reworded?: Record<string, string>;
  /** Boxes of the description whose tick was handled, until it is written again. */
  ticked?: string[];
  left_out?: LeftOutFiles;
  /** The check run as it was last written. */
  check?: string;
  /** The head that a check run was written for, or may have been, and its id. */
  check_run?: { head: string; id?: number };
  /** A commit that work was put on, and its tree. */
  base?: { commit: string; tree: string };
  /** The head that was made by the last commit, so that nothing was written for it before. */
  made?: string;
  /** The state label as it was last written; empty while it is being changed. */
  label?: string;
  /** Node ids of the state labels by name, from the last change. */
  label_ids?: Record<string, string>;
  /** The stage that the status comment last showed, and when it was written. */
  status?: { stage: string; at: string };
  /** The Actions run whose artifact has the newest blocked report. */
  report_run?: number;
  /** Digest of the changeset in which no secret was found. Two with a space between while it is put on another commit. */
  free_of_secrets?: string;
  /** Digest of the base and the paths for which no file is replaced implicitly. */
  replaces_nothing?: string;
}

export interface Publications {
  of(run: string): Promise<Publication>;
  change(run: string, change: Publication): Promise<void>;
  /** The run that a pull request belongs to. */
  ofPull(repoId: number, pull: number): Promise<string | undefined>;
  /** Commits that were made for the issue, newest last. */
  ownCommits(repoId: number, issue: number): Promise<string[]>;
  addOwnCommit(repoId: number, issue: number, sha: string): Promise<void>;
}
