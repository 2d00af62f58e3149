import type {
  PullReview,
  ReviewedPull,
  ReviewThread,
  ThreadComment,
} from '../../src/core/ports/github/review-port.ts';
import { GitHubError, type GitHubReview } from '../../src/core/ports/github-port.ts';

const OURS = { author: 'autobuild', author_type: 'Bot', is_own: true };

/** A reply that only its author sees until its review is submitted. */
interface Reply extends ThreadComment {
  review: string;
}

interface Thread extends ReviewThread {
  comments: Reply[];
}

/** The reviews of one pull request: those of people, with their threads, and those of the App. */
export class FakeReviews {
  readonly reviews: PullReview[] = [];
  readonly threads: Thread[] = [];
  readonly #nextId: () => number;
  readonly #time: () => string;

  constructor(nextId: () => number, time: () => string) {
    this.#nextId = nextId;
    this.#time = time;
  }

  /** A person requests changes, with remarks on a file. */
  request(by: string, body: string, remarks: readonly string[]): PullReview {
    const person = { author: by, author_type: 'User', is_own: false };
    const review = this.#add({ ...person, state: 'CHANGES_REQUESTED', body, submitted_at: this.#time() });
    for (const text of remarks) {
      const id = `T_${this.#nextId()}`;
      const place = { path: 'src/login.ts', line: 1, original_line: 1 };
      const kind = { is_resolved: false, is_outdated: false, subject: 'LINE', side: 'RIGHT' } as const;
      this.threads.push({ id, ...place, ...kind, comments: [this.#comment(person, text, review.node_id)] });
    }
    return review;
  }

  /** What the App sees, its own pending replies included. */
  seen(): Pick<ReviewedPull, 'reviews' | 'threads'> {
    return structuredClone({ reviews: this.reviews, threads: this.threads });
  }

  submitted(): GitHubReview[] {
    return this.reviews
      .filter(({ state }) => state !== 'PENDING')
      .map(({ is_own: _, submitted_at = '', edited_at: _edited, ...review }) => ({
        ...review,
        submitted_at,
      }));
  }

  begin(): { node_id: string } {
    if (this.reviews.some(({ is_own, state }) => is_own && state === 'PENDING'))
      throw new GitHubError('User can only have one pending review per pull request', { status: 422 });
    return { node_id: this.#add({ ...OURS, state: 'PENDING', body: '' }).node_id };
  }

  repliesIn(review: string): string[] {
    return this.threads
      .flatMap(({ comments }) => comments)
      .filter((comment) => comment.is_own && comment.review === review)
      .map(({ body }) => body);
  }

  reply(review: string, thread: string, body: string): void {
    this.threads.find(({ id }) => id === thread)?.comments.push(this.#comment(OURS, body, review));
  }

  replyTo(comment: number, body: string): void {
    const thread = this.threads.find(({ comments }) => comments.some(({ id }) => id === comment));
    thread?.comments.push(this.#comment(OURS, body, ''));
  }

  submit(review: string, body: string): boolean {
    const begun = this.reviews.find(({ node_id }) => node_id === review);
    if (!begun) return false;
    Object.assign(begun, { state: 'COMMENTED', body, submitted_at: this.#time() });
    return true;
  }

  #add(review: Omit<PullReview, 'id' | 'node_id' | 'url'>): PullReview {
    const id = this.#nextId();
    const added = { id, node_id: `PRR_${id}`, url: `https://github.test/review/${id}`, ...review };
    this.reviews.push(added);
    return added;
  }

  #comment(
    by: Pick<ThreadComment, 'author' | 'author_type' | 'is_own'>,
    body: string,
    review: string,
  ): Reply {
    const id = this.#nextId();
    const url = `https://github.test/remark/${id}`;
    return { id, node_id: `RC_${id}`, body, ...by, created_at: this.#time(), diff_hunk: '', url, review };
  }
}
