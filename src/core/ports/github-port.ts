import type { Permission } from '../contracts/role.ts';
import type { CiMethods } from './github/ci-port.ts';
import type { MergeMethods } from './github/merge-port.ts';
import type { ReviewMethods } from './github/review-port.ts';
import type { WorkflowMethods } from './github/workflow-port.ts';

/** The part of GitHub's API that the App uses. The interface is narrow, because only `src/github/` may know Octokit. */

export interface GitHubIssue {
  number: number;
  node_id: string;
  title: string;
  body: string;
  state: 'open' | 'closed';
  locked: boolean;
  labels: string[];
  author: string;
  /** The number of comments. */
  comments: number;
  updated_at: string;
  /** Absent while it is open. */
  closed_at?: string;
  /** It is a pull request: GitHub's lists of issues have these, too. */
  is_pull?: true;
}

/** An entry in the history of an issue. */
export interface IssueEvent {
  id: number;
  /** `labeled`, `unlabeled`, `closed`, `locked`, `renamed`, … */
  event: string;
  actor?: string;
  actor_type?: 'User' | 'Bot' | 'Organization' | string;
  /** The App that caused the event, if one did. */
  app_id?: number;
  label?: string;
  created_at: string;
}

export interface GitHubComment {
  id: number;
  node_id: string;
  body: string;
  author: string;
  author_type: 'User' | 'Bot' | 'Organization' | string;
  /** The App that wrote it, if one did. */
  app_id?: number;
  created_at: string;
  updated_at: string;
  url: string;
}

export interface PullRequest {
  number: number;
  node_id: string;
  state: 'open' | 'closed';
  draft: boolean;
  merged: boolean;
  head_sha: string;
  /** The branch, if it is one of this repository and not of a fork. */
  branch?: string;
  /** The branch that it goes to. */
  base?: string;
  /** Whether it can be merged without a conflict. Absent in lists, and while GitHub computes it. */
  mergeable?: boolean;
  /** The commit on the base branch that GitHub made by merging; before the merge, one that only tests it. */
  merge_sha?: string;
  body: string;
  /** Changes with every comment, review and edit, to the second. */
  updated_at: string;
  url: string;
}

/** A submitted review with its summary. Comments on lines are not part of it. */
export interface GitHubReview {
  id: number;
  node_id: string;
  body: string;
  author: string;
  author_type: 'User' | 'Bot' | 'Organization' | string;
  state: string;
  url: string;
  submitted_at: string;
}

/** One file of a commit. `content` is base64; null deletes the file. */
export interface CommitFile {
  path: string;
  mode: '100644' | '100755';
  content: string | null;
}

/** A file that a commit removes implicitly, because another file is written at a parent or child of its path. */
export interface ReplacedFile {
  path: string;
  /** The path of the file that replaces it. */
  by: string;
}

/** A label's name in the repository's own spelling. */
interface LabelSpelling {
  name: string;
  etag?: string;
}

/** A list as it was read. Given back later, its ETags let GitHub answer that nothing has changed, which is not counted. */
export interface Listing<Item> {
  items: Item[];
  etags: string[];
  /** There are more than were asked for. */
  isCut?: boolean;
}

export interface GitHub extends ReviewMethods, CiMethods, MergeMethods, WorkflowMethods {
  readonly owner: string;
  readonly repo: string;
  /** Fails closed: throws on a response that cannot be parsed. */
  permission(login: string): Promise<Permission>;
  issue(number: number): Promise<GitHubIssue | undefined>;
  /** The label as the repository spells it. `unchanged` since the ETag; undefined if the repository does not have it. */
  labelSpelling(label: string, etag?: string): Promise<LabelSpelling | 'unchanged' | undefined>;
  /** Open issues with the label, in the repository's spelling; pull requests, too. Undefined if nothing changed. */
  issuesWithLabel(label: string, etags?: readonly string[]): Promise<Listing<GitHubIssue> | undefined>;
  /** Oldest first. Empty if the issue does not exist any more. */
  issueEvents(issue: number): Promise<IssueEvent[]>;
  comments(issue: number, since?: string): Promise<GitHubComment[]>;
  /**
   * Comments on all issues and pull requests that changed since then. Undefined if nothing changed. With `mostPages`, only the
   * newest of them.
   */
  commentsOfAll(
    since: string,
    etags?: readonly string[],
    mostPages?: number,
  ): Promise<Listing<GitHubComment & { number: number }> | undefined>;
  comment(id: number): Promise<GitHubComment | undefined>;
  createComment(issue: number, body: string): Promise<GitHubComment>;
  updateComment(id: number, body: string): Promise<GitHubComment | undefined>;
  deleteComment(id: number): Promise<void>;
  minimizeComment(nodeId: string): Promise<void>;
  /**
   * The newest edit of a comment, a review or a description, for the case that its webhook was lost. Without `at` it was never
   * edited. Undefined if GitHub does not say.
   */
  lastEdit(nodeId: string): Promise<{ at?: string; by?: string } | undefined>;
  react(commentId: number, reaction: 'eyes' | 'rocket' | 'confused'): Promise<void>;
  reactToReview(nodeId: string, reaction: 'eyes' | 'rocket' | 'confused'): Promise<void>;
  /**
   * Adds one label and removes others. It is one change if the repository has the label. Labels that are not named stay. Returns the
   * node ids of labels by name, as far as it saw them; those of an earlier change spare a call. With `isSparing`, a label whose id
   * is not known is not looked for: for a moment, the issue has both.
   */
  changeLabels(
    issue: number,
    change: {
      add: string;
      remove: string[];
      ids?: Readonly<Record<string, string>>;
      isSparing?: boolean;
    },
  ): Promise<Record<string, string> | undefined>;
  removeLabel(issue: number, label: string): Promise<void>;
  /** Whether the repository has the label at all. */
  labelExists(label: string): Promise<boolean>;
  defaultBranch(): Promise<{
    name: string;
    sha: string;
    private: boolean;
    /** Nothing can be written to an archived repository, not even a comment. */
    archived: boolean;
    repo_id: number;
  }>;
  /** The text of a file at a ref; undefined if the file does not exist. */
  file(path: string, ref: string): Promise<string | undefined>;
  branchHead(branch: string): Promise<string | undefined>;
  /**
   * Creates a commit with the Git Data API, and creates or moves the branch. Author and committer are left out so that GitHub
   * signs the commit. Idempotent: a retry after a lost response finds the commit. Without files, the commit has its parent's tree.
   */
  commit(options: {
    branch: string;
    parent: string;
    /** V-6: a second parent. The files are a change of its tree, and the rest of the commit is that tree. */
    merged?: string;
    message: string;
    files: CommitFile[];
    /** Moves an existing branch even if the new commit is not its descendant; but only from the head that was seen. */
    force: boolean;
    /**
     * The head of the branch, where it was read a moment ago. `isAnother`: it is known not to be this commit. `isOurs`: it is this
     * commit if its files and parents are the same, whatever its message.
     */
    present?: { head: string | undefined; isAnother: boolean; isOurs?: boolean };
    /** The tree of the parent, from an earlier call. */
    base_tree?: string;
    /** Called before the branch is moved, so that the commit is known even if a later response is lost. */
    onCreated?(sha: string): Promise<void>;
  }): Promise<{ sha: string; verified: boolean; base_tree?: string }>;
  /** Undefined if the commit does not exist. */
  commitMessage(sha: string): Promise<string | undefined>;
  /**
   * Makes commits of a branch again with other messages, and moves the branch to the last one. Their trees stay the same, and each
   * is put on the one before it. Idempotent like `commit`. Throws a 409 if the branch is not at the last commit any more.
   */
  reword(options: {
    branch: string;
    /** The lowest one first, the head last; each is the first parent of the next. */
    commits: readonly { sha: string; message: string }[];
    onCreated(sha: string): Promise<void>;
  }): Promise<{ shas: string[] }>;
  /** Files of the commit that would be removed implicitly if files were written at these paths. */
  replacedFiles(commit: string, paths: readonly string[]): Promise<ReplacedFile[]>;
  /** The paths at which the two commits differ. Undefined if the repository is too large to tell. */
  changedFiles(before: string, after: string): Promise<string[] | undefined>;
  /** The branch's open pull request, or else its newest. */
  pullRequestOf(branch: string, base: string): Promise<PullRequest | undefined>;
  pullRequest(number: number): Promise<PullRequest | undefined>;
  /** Pull requests, those that changed last first, at least all that changed since then. Undefined if nothing changed. */
  pullRequests(since?: string, etags?: readonly string[]): Promise<Listing<PullRequest> | undefined>;
  /** Which of the pull requests, at most 100 and by node id, have no review for certain. It is one call. */
  withoutReview(nodeIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Submitted reviews only, oldest first. */
  reviews(pullRequest: number): Promise<GitHubReview[]>;
  createPullRequest(options: {
    branch: string;
    base: string;
    title: string;
    body: string;
    draft: boolean;
  }): Promise<PullRequest>;
  updatePullRequest(number: number, change: { body?: string; title?: string }): Promise<void>;
  /** Ends the draft. A new description is written in the same call. */
  markReady(nodeId: string, body?: string): Promise<void>;
  upsertCheckRun(options: {
    head_sha: string;
    external_id: string;
    status: 'in_progress' | 'completed';
    conclusion?: 'success' | 'failure' | 'neutral' | 'action_required' | 'cancelled';
    title: string;
    summary: string;
    details_url?: string;
    /** The id from an earlier call for the same head. */
    id?: number;
    /** True if there can be none on that head yet. Otherwise it is looked for. */
    isFirst?: boolean;
  }): Promise<number | undefined>;
  /** Whether the repository or its organisation has an Actions secret of that name for it. Undefined if the App has no permission to list secrets. */
  secretExists(name: string): Promise<boolean | undefined>;
}

/** A failed attempt of GitHub to deliver a webhook to the App. */
export interface FailedDelivery {
  /** The id of this attempt. A string, because it exceeds the safe integers. */
  id: string;
  /** The id of the webhook, which is the same for every attempt. */
  guid: string;
  delivered_at: string;
}

/** Webhook deliveries of the whole App, across repositories. */
export interface AppDeliveries {
  /** Oldest first. `complete` is false if there were too many to read; the oldest are then missing. */
  failedSince(since: string): Promise<{ failed: FailedDelivery[]; complete: boolean }>;
  /** Asks GitHub to deliver the webhook again, with the same GUID. */
  redeliver(id: string): Promise<void>;
}

export type InstallationStatus = 'active' | 'suspended' | 'gone';

/** A failed API call, with the details that a caller can act on. */
export class GitHubError extends Error {
  override name = 'GitHubError';
  readonly status: number;
  /** Seconds to wait before a retry, from `Retry-After` or the rate limit's reset. */
  readonly retryAfter?: number;
  /** The permission the App lacks, if GitHub names it. */
  readonly missingPermission?: string;
  /** The files for which it is needed, if they are known. */
  readonly files: readonly string[];
  /** The target is deleted, locked or not accessible to the App, so a retry helps only after a person changed that. */
  readonly unreachable: boolean;

  constructor(
    message: string,
    details: {
      status: number;
      retryAfter?: number;
      missingPermission?: string;
      unreachable?: boolean;
      files?: readonly string[];
    },
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.status = details.status;
    this.retryAfter = details.retryAfter;
    this.missingPermission = details.missingPermission;
    this.files = details.files ?? [];
    this.unreachable = details.unreachable ?? false;
  }
}
