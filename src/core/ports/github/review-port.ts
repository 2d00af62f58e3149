/** A comment in a thread on lines of a pull request. */
export interface ThreadComment {
  /** As REST and webhooks name it. */
  id: number;
  node_id: string;
  body: string;
  author: string;
  author_type: 'User' | 'Bot' | string;
  /** Written by whoever asks, which is this App. */
  is_own: boolean;
  created_at: string;
  /** When its review was submitted. Nobody else saw it before. */
  submitted_at?: string;
  /** The time and the person of the last edit, if there was one. */
  edited_at?: string;
  editor?: string;
  /** It is in a review that was not submitted, so that nobody else sees it. */
  is_pending?: boolean;
  /** The part of the diff above the remark. */
  diff_hunk: string;
  /** The commit it was written for. */
  commit?: string;
  url: string;
}

/** A remark on lines or on a file, with its replies. */
export interface ReviewThread {
  id: string;
  path: string;
  is_resolved: boolean;
  is_outdated: boolean;
  /** A remark on the whole file has no lines. */
  subject: 'LINE' | 'FILE';
  side: 'LEFT' | 'RIGHT';
  /** Absent if the lines are gone. */
  line?: number;
  start_line?: number;
  original_line?: number;
  original_start_line?: number;
  comments: ThreadComment[];
}

export interface PullReview {
  id: number;
  node_id: string;
  author: string;
  author_type: 'User' | 'Bot' | string;
  is_own: boolean;
  state: 'PENDING' | 'COMMENTED' | 'APPROVED' | 'CHANGES_REQUESTED' | 'DISMISSED' | string;
  body: string;
  submitted_at?: string;
  edited_at?: string;
  editor?: string;
  url: string;
}

/** A pull request with everything that reviewers said, read at one moment. */
export interface ReviewedPull {
  node_id: string;
  head_sha: string;
  base_ref: string;
  base_sha: string;
  state: 'OPEN' | 'CLOSED' | 'MERGED';
  is_draft: boolean;
  /** It waits in a merge queue. */
  is_queued: boolean;
  /** `UNKNOWN` while GitHub computes it. */
  mergeable: 'MERGEABLE' | 'CONFLICTING' | 'UNKNOWN';
  reviews: PullReview[];
  threads: ReviewThread[];
}

/** GitHub refuses documents with many more fields. */
export const MOST_REPLIES = 20;

/** Reviews as GraphQL shows them, because REST knows neither threads nor whether they are resolved. */
export interface ReviewMethods {
  /** Undefined if there is no such pull request. All pages are read. */
  reviewedPull(number: number): Promise<ReviewedPull | undefined>;
  /** Begins a review that nobody sees until it is submitted. There is one at most for each user and pull request. */
  beginReview(pullNodeId: string): Promise<{ node_id: string }>;
  /**
   * Adds replies to the review that was begun, at most `MOST_REPLIES` by one call. Threads that are gone are left out; those in
   * which GitHub refuses the reply are returned. If it fails, some of the replies may be there.
   */
  replyInReview(
    reviewNodeId: string,
    replies: readonly { thread: string; body: string }[],
  ): Promise<string[]>;
  submitReview(reviewNodeId: string, body: string): Promise<void>;
  /** Bodies of the replies in a review that was begun and not submitted. */
  repliesInReview(reviewNodeId: string): Promise<string[]>;
  /** One reply at once, with its own notification, for where a review cannot be begun. False if GitHub refuses it. */
  replyToRemark(pull: number, comment: number, body: string): Promise<boolean>;
  /** Asks people to look again. Those who cannot be asked are left out. */
  requestReview(pull: number, logins: string[]): Promise<void>;
}
