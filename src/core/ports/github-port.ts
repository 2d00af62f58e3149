import type { Permission } from '../contracts/role.ts';

/** What the App needs of GitHub, for one repository. Narrow on purpose: `src/github/` is the only place that knows Octokit. */

export interface GitHubIssue {
  number: number;
  node_id: string;
  title: string;
  body: string;
  state: 'open' | 'closed';
  locked: boolean;
  labels: string[];
  author: string;
  /** How many there are. */
  comments: number;
  updated_at: string;
}

/** Something that was done to an issue, as GitHub remembers it. */
export interface IssueEvent {
  id: number;
  /** `labeled`, `unlabeled`, `closed`, `locked`, `renamed`, … */
  event: string;
  actor?: string;
  actor_type?: 'User' | 'Bot' | 'Organization' | string;
  /** The App it was done by, if one did. */
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

export interface WorkflowRun {
  id: number;
  status: 'queued' | 'in_progress' | 'completed' | string;
  conclusion: string | null;
  attempt: number;
  /** Its `run-name`, which carries the operation id. */
  name: string;
  created_at: string;
  url: string;
}

export interface PullRequest {
  number: number;
  node_id: string;
  state: 'open' | 'closed';
  draft: boolean;
  merged: boolean;
  head_sha: string;
  body: string;
  /** Changes with every comment, review and edit, to the second. */
  updated_at: string;
  url: string;
}

/** What somebody wrote when they submitted a review; remarks on lines are not part of it. */
export interface GitHubReview {
  id: number;
  node_id: string;
  body: string;
  author: string;
  author_type: 'User' | 'Bot' | 'Organization' | string;
  submitted_at: string;
}

/** One file of a commit. `content` is base64; null deletes it. */
export interface CommitFile {
  path: string;
  mode: '100644' | '100755';
  content: string | null;
}

/** A file of a commit that goes when another is written where it, or a directory above it, stands. */
export interface ReplacedFile {
  path: string;
  /** Whose writing removes it. */
  by: string;
}

export interface GitHub {
  readonly owner: string;
  readonly repo: string;
  /** Fails closed: any answer that cannot be read throws. */
  permission(login: string): Promise<Permission>;
  issue(number: number): Promise<GitHubIssue | undefined>;
  /** The open ones; pull requests are left out. */
  issuesWithLabel(label: string): Promise<GitHubIssue[]>;
  /** Oldest first; none of an issue that is gone. */
  issueEvents(issue: number): Promise<IssueEvent[]>;
  comments(issue: number, since?: string): Promise<GitHubComment[]>;
  comment(id: number): Promise<GitHubComment | undefined>;
  createComment(issue: number, body: string): Promise<GitHubComment>;
  updateComment(id: number, body: string): Promise<GitHubComment | undefined>;
  deleteComment(id: number): Promise<void>;
  minimizeComment(nodeId: string): Promise<void>;
  /**
   * The newest edit of a comment, a review or a description, when the webhook that said so was lost. Without a time: it
   * stands as it was written. Undefined: GitHub does not tell.
   */
  lastEdit(nodeId: string): Promise<{ at?: string; by?: string } | undefined>;
  react(commentId: number, reaction: 'eyes' | 'rocket' | 'confused'): Promise<void>;
  reactToReview(nodeId: string, reaction: 'eyes' | 'rocket' | 'confused'): Promise<void>;
  addLabels(issue: number, labels: string[]): Promise<void>;
  removeLabel(issue: number, label: string): Promise<void>;
  defaultBranch(): Promise<{ name: string; sha: string; private: boolean; repo_id: number }>;
  /** Text of a file at a ref, undefined when it is not there. */
  file(path: string, ref: string): Promise<string | undefined>;
  dispatchWorkflow(
    workflow: string,
    ref: string,
    inputs: Record<string, string>,
  ): Promise<{ run_id?: number }>;
  /** `disabled`: the workflow, or Actions for the whole repository, is switched off. */
  workflow(file: string): Promise<'there' | 'missing' | 'disabled'>;
  workflowRun(id: number): Promise<WorkflowRun | undefined>;
  workflowRuns(workflow: string, since: string): Promise<WorkflowRun[]>;
  cancelRun(id: number): Promise<void>;
  branchHead(branch: string): Promise<string | undefined>;
  /**
   * Git Data API, author and committer left out so that GitHub signs it. Creates or moves the branch. Asked again
   * after a lost answer, it finds the commit it made. Without files it has its parent's tree.
   */
  commit(options: {
    branch: string;
    parent: string;
    message: string;
    files: CommitFile[];
    /** Move an existing branch although the new commit does not follow it. */
    force: boolean;
    /** Before the branch is moved to it: whatever is lost from here on, the commit is known. */
    onCreated?(sha: string): Promise<void>;
  }): Promise<{ sha: string; verified: boolean }>;
  /** Files of the commit that files written at these paths would remove without a word. */
  replacedFiles(commit: string, paths: readonly string[]): Promise<ReplacedFile[]>;
  /** The open one, else the newest. */
  pullRequestOf(branch: string): Promise<PullRequest | undefined>;
  pullRequest(number: number): Promise<PullRequest | undefined>;
  /** The submitted ones, oldest first. */
  reviews(pullRequest: number): Promise<GitHubReview[]>;
  createPullRequest(options: {
    branch: string;
    base: string;
    title: string;
    body: string;
    draft: boolean;
  }): Promise<PullRequest>;
  updatePullRequest(number: number, change: { body?: string; title?: string }): Promise<void>;
  markReady(nodeId: string): Promise<void>;
  upsertCheckRun(options: {
    head_sha: string;
    external_id: string;
    status: 'in_progress' | 'completed';
    conclusion?: 'success' | 'failure' | 'neutral' | 'action_required' | 'cancelled';
    title: string;
    summary: string;
    details_url?: string;
  }): Promise<void>;
  /** Whether an Actions secret of that name exists; its value cannot be read. Undefined: no permission to look. */
  secretExists(name: string): Promise<boolean | undefined>;
}

/** One try of GitHub's to deliver a webhook to the App, which the App did not take. */
export interface FailedDelivery {
  /** Of this try; not a number, which could not hold it. */
  id: string;
  /** Of the webhook: the same for every try. */
  guid: string;
  delivered_at: string;
}

/** Webhooks of the App as a whole. */
export interface AppDeliveries {
  /** Oldest first. Not complete: there were more than we read, and the oldest are left out. */
  failedSince(since: string): Promise<{ failed: FailedDelivery[]; complete: boolean }>;
  /** GitHub sends it again, under its GUID. */
  redeliver(id: string): Promise<void>;
}

export type InstallationStanding = 'active' | 'suspended' | 'gone';

/** A call that failed in a way the caller can act on. */
export class GitHubError extends Error {
  override name = 'GitHubError';
  readonly status: number;
  /** Seconds to wait, from `Retry-After` or the rate limit's reset. */
  readonly retryAfter?: number;
  /** The permission the App lacks, when GitHub says so. */
  readonly missingPermission?: string;
  /** What is to be written to is gone, or closed to the App: trying again helps only after a person did something. */
  readonly unreachable: boolean;

  constructor(
    message: string,
    details: { status: number; retryAfter?: number; missingPermission?: string; unreachable?: boolean },
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.status = details.status;
    this.retryAfter = details.retryAfter;
    this.missingPermission = details.missingPermission;
    this.unreachable = details.unreachable ?? false;
  }
}
