import type { Edit } from '../gap.ts';

export interface Author {
  login: string;
  bot: boolean;
}

export interface BookedReview {
  id: number;
  node_id: string;
  pull: number;
  author: Author;
  state: 'PENDING' | 'COMMENTED' | 'APPROVED' | 'CHANGES_REQUESTED' | 'DISMISSED';
  body: string;
  commit_id: string;
  submitted_at: string | null;
  edit?: Edit;
}

export interface BookedComment {
  id: number;
  node_id: string;
  review: number;
  author: Author;
  body: string;
  created_at: string;
  edit?: Edit;
}

export interface Thread {
  id: string;
  pull: number;
  path: string;
  subject: 'LINE' | 'FILE';
  side: 'LEFT' | 'RIGHT';
  /** As of its commit. Null for a whole file. */
  line: number | null;
  start_line: number | null;
  commit: string;
  hunk: string;
  resolved: boolean;
  comments: BookedComment[];
}

/** A remark on lines that does not answer another one. */
export type NewThread = Pick<Thread, 'path' | 'subject' | 'side' | 'line' | 'start_line' | 'hunk'>;

const SUBMITTED = {
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
  COMMENT: 'COMMENTED',
} as const;
export type Verdict = keyof typeof SUBMITTED;

export const PENDING_EXISTS = 'User can only have one pending review per pull request';

export interface ReviewBook {
  reviews(pull: number): BookedReview[];
  review(id: number | string): BookedReview | undefined;
  threads(pull: number): Thread[];
  thread(id: string): Thread | undefined;
  /** The thread that a comment is in. */
  threadOf(comment: number): Thread | undefined;
  commentsOf(review: number): BookedComment[];
  pendingOf(pull: number, login: string): BookedReview | undefined;
  /** Throws if the author has a pending review already. */
  begin(pull: number, author: Author, commit: string, body?: string): BookedReview;
  submit(review: BookedReview, verdict: Verdict, body?: string): void;
  open(review: BookedReview, thread: NewThread, body: string): Thread;
  reply(review: BookedReview, thread: Thread, body: string): BookedComment;
  /** Deletes a comment. A thread without any is gone. */
  remove(comment: number): void;
}

/** The reviews of a repository: at most one that is not submitted yet for each person and pull request. */
export function createReviewBook(): ReviewBook {
  const reviews: BookedReview[] = [];
  const threads: Thread[] = [];
  let next = 88_000;
  const number = () => {
    next += 1;
    return next;
  };
  const comment = (review: BookedReview, body: string): BookedComment => {
    const id = number();
    const created_at = new Date().toISOString();
    return { id, node_id: `PRRC_${id}`, review: review.id, author: review.author, body, created_at };
  };
  const book: ReviewBook = {
    reviews: (pull) => reviews.filter((review) => review.pull === pull),
    review: (id) => reviews.find((review) => review.id === id || review.node_id === id),
    threads: (pull) => threads.filter((thread) => thread.pull === pull),
    thread: (id) => threads.find((thread) => thread.id === id),
    threadOf: (id) => threads.find(({ comments }) => comments.some((one) => one.id === id)),
    commentsOf: (id) => threads.flatMap(({ comments }) => comments).filter(({ review }) => review === id),
    pendingOf: (pull, login) =>
      reviews.find(
        ({ pull: of, author, state }) => of === pull && author.login === login && state === 'PENDING',
      ),
    begin(pull, author, commit_id, body = '') {
      if (book.pendingOf(pull, author.login)) throw new Error(PENDING_EXISTS);
      const id = number();
      const review: BookedReview = {
        ...{ id, node_id: `PRR_${id}`, pull, author, body, commit_id },
        state: 'PENDING',
        submitted_at: null,
      };
      reviews.push(review);
      return review;
    },
    submit(review, verdict, body = review.body) {
      review.state = SUBMITTED[verdict];
      review.body = body;
      review.submitted_at = new Date().toISOString();
    },
    open(review, { path, subject, side, line, start_line, hunk }, body) {
      const thread: Thread = {
        ...{ id: `PRRT_${number()}`, pull: review.pull, path, subject, side, line, start_line, hunk },
        commit: review.commit_id,
        resolved: false,
        comments: [comment(review, body)],
      };
      threads.push(thread);
      return thread;
    },
    reply(review, thread, body) {
      const added = comment(review, body);
      thread.comments.push(added);
      return added;
    },
    remove(id) {
      const thread = book.threadOf(id);
      if (!thread) return;
      thread.comments = thread.comments.filter((comment) => comment.id !== id);
      if (thread.comments.length === 0) threads.splice(threads.indexOf(thread), 1);
    },
  };
  return book;
}
