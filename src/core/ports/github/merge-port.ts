/** A file, link or submodule in a tree. */
interface TreeFile {
  mode: string;
  sha: string;
}

/** A path at which the head, the base and their common ancestor are not all the same. Absent: it is not there. */
export interface MergedPath {
  path: string;
  before?: TreeFile;
  head?: TreeFile;
  base?: TreeFile;
}

/** A commit that only one side has. */
export interface SideCommit {
  sha: string;
  author: string;
  /** The first line of its message. */
  title: string;
}

/** A commit of a pull request. */
export interface PullCommit {
  sha: string;
  parents: string[];
  message: string;
}

/** Two branches since their common ancestor. */
export interface MergeSides {
  paths: MergedPath[];
  /** Oldest first, the newest 250. */
  commits: { head: SideCommit[]; base: SideCommit[] };
}

/** Reads what a merge of the base into a pull request is made of (V-6). */
export interface MergeMethods {
  /** `too_large`: GitHub does not list all files of the repository. Undefined: they have no common ancestor. */
  mergeSides(head: string, base: string): Promise<MergeSides | 'too_large' | undefined>;
  /** Whether the commit is this head, or below it. */
  hasCommit(head: string, commit: string): Promise<boolean>;
  /** Commits that the head has and the base has not, oldest first, the newest 250. Empty if one of the two does not exist. */
  commitsSince(base: string, head: string): Promise<PullCommit[]>;
  /** The content of a file, in base64. */
  blob(sha: string): Promise<string>;
  /** The newest commits that changed the file, from this commit on. */
  commitsOf(path: string, from: string): Promise<string[]>;
  /** Whether a rule of the repository forbids merge commits on the branch. */
  forbidsMerges(branch: string): Promise<boolean>;
}
