import {
  type Answer,
  type Call,
  describeAccount,
  type Gap,
  type Json,
  matchPath,
  refuse,
  type Upstream,
} from '../gap.ts';
import { describeRemark, describeReview, type Urls } from './describe-review.ts';
import type { createPlaces } from './place-of-lines.ts';
import {
  type Author,
  type BookedComment,
  type BookedReview,
  type NewThread,
  PENDING_EXISTS,
  type ReviewBook,
  type Thread,
  type Verdict,
} from './review-book.ts';

interface ReviewOptions {
  book: ReviewBook;
  places: ReturnType<typeof createPlaces>;
  upstream: Upstream;
  repository: string;
  urls: Urls;
  installation: Json;
  emit(event: string, payload: Json): Promise<void>;
}

export interface ReviewGap extends Gap {
  /** Submits a review and sends its events: one for the review, one for each remark in it. */
  submit(review: BookedReview, verdict: Verdict, body?: string): Promise<void>;
  /** Resolves a thread or opens it again, and tells of it. */
  resolve(thread: Thread, isResolved: boolean): Promise<void>;
}

interface Pull {
  head: { ref: string; sha: string };
  base: { ref: string };
}

interface RemarkBody {
  path?: string;
  body?: string;
  line?: number;
  side?: 'LEFT' | 'RIGHT';
  start_line?: number;
  subject_type?: string;
}

const VERDICTS: readonly unknown[] = ['APPROVE', 'REQUEST_CHANGES', 'COMMENT'];
const MAX_CHARACTERS = 65_536;

/** emulate keeps reviews and remarks apart, knows no threads, and sends nothing about the remarks of a review. */
export function createReviews(options: ReviewOptions): ReviewGap {
  const { book, places, upstream, repository, urls, installation, emit } = options;

  const headOf = async (number: number): Promise<{ head: string; base: string } | undefined> => {
    const { status, body } = await upstream('GET', `${repository}/pulls/${number}`);
    if (status !== 200) return undefined;
    const { head, base } = body as Pull;
    const ref = await upstream('GET', `${repository}/git/ref/heads/${head.ref}`);
    const { object } = ref.body as { object?: { sha: string } };
    return { head: object?.sha ?? head.sha, base: base.ref };
  };
  /** Without the fields that only a person's own page shows. */
  const account = async ({ login }: Author) => {
    const whole = (await describeAccount(upstream, login)) ?? {};
    return Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== null));
  };
  const showReview = async (review: BookedReview) =>
    describeReview(review, await account(review.author), urls);
  const showRemark = async (comment: BookedComment, thread: Thread) =>
    describeRemark(comment, thread, await account(comment.author), urls);

  async function tell(event: string, action: string, of: BookedReview, part: Json): Promise<void> {
    const [{ body: pull_request }, { body: home }] = [
      await upstream('GET', `${repository}/pulls/${of.pull}`),
      await upstream('GET', repository),
    ];
    const sender = await account(of.author);
    await emit(event, { action, ...part, pull_request, repository: home, sender, installation });
  }

  async function tellRemarks(review: BookedReview): Promise<void> {
    for (const comment of book.commentsOf(review.id)) {
      const thread = book.threadOf(comment.id);
      if (!thread) continue;
      const part = { comment: await showRemark(comment, thread) };
      await tell('pull_request_review_comment', 'created', review, part);
    }
  }

  const submit: ReviewGap['submit'] = async (review, verdict, body) => {
    book.submit(review, verdict, body);
    await tell('pull_request_review', 'submitted', review, { review: await showReview(review) });
    await tellRemarks(review);
  };

  /** A remark has to be about lines that are there. */
  async function readRemark(
    { path = '', body = '', line, side = 'RIGHT', start_line, subject_type }: RemarkBody,
    at: { head: string; base: string },
  ): Promise<{ thread: NewThread; body: string } | undefined> {
    const subject: NewThread['subject'] = subject_type?.toLowerCase() === 'file' ? 'FILE' : 'LINE';
    if (body.trim() === '' || [...body].length > MAX_CHARACTERS) return undefined;
    if (subject === 'LINE' && line === undefined) return undefined;
    const isWhole = subject === 'FILE';
    const place = {
      ...{ path, subject, side },
      line: isWhole ? null : (line ?? null),
      start_line: isWhole ? null : (start_line ?? null),
    };
    const hunk = await places.hunkOf(place, at);
    return hunk === undefined ? undefined : { thread: { ...place, hunk }, body };
  }

  const INVALID = refuse(422, 'Validation Failed', [
    'Pull request review thread line must be part of the diff',
  ]);

  async function addReview(number: number, { caller, body }: Call): Promise<Answer> {
    const at = await headOf(number);
    if (!at || caller.kind === 'app') return refuse(404, 'Not Found');
    const { event, comments = [] } = body as { event?: Verdict; comments?: RemarkBody[] };
    if (event !== undefined && !VERDICTS.includes(event)) return refuse(422, 'Validation Failed');
    if (book.pendingOf(number, caller.login)) return refuse(422, 'Validation Failed', [PENDING_EXISTS]);
    const read = await Promise.all(comments.map((comment) => readRemark(comment, at)));
    if (read.includes(undefined)) return INVALID;
    const review = book.begin(number, authorOf(caller), at.head, String(body.body ?? ''));
    for (const remark of read) if (remark) book.open(review, remark.thread, remark.body);
    if (event) await submit(review, event);
    return { status: 200, body: await showReview(review) };
  }

  /** One remark is a review of its own. While a review of the same person is pending, it fails. */
  async function addRemark(number: number, { caller, body }: Call, replied?: number): Promise<Answer> {
    const at = await headOf(number);
    if (!at || caller.kind === 'app') return refuse(404, 'Not Found');
    if (book.pendingOf(number, caller.login)) return refuse(422, 'Validation Failed', [PENDING_EXISTS]);
    const thread = replied === undefined ? undefined : book.threadOf(replied);
    // GitHub takes the first remark of a thread only.
    if (replied !== undefined && thread?.comments[0]?.id !== replied) return refuse(404, 'Not Found');
    const read = thread ? undefined : await readRemark(body as RemarkBody, at);
    if (!thread && !read) return INVALID;
    const review = book.begin(number, authorOf(caller), at.head);
    const text = String(body.body ?? '');
    const into = thread ?? (read && book.open(review, read.thread, read.body));
    const comment = thread ? book.reply(review, thread, text) : into?.comments[0];
    if (!into || !comment) return INVALID;
    await submit(review, 'COMMENT');
    return { status: 201, body: await showRemark(comment, into) };
  }

  async function editRemark(id: number, { caller, body }: Call): Promise<Answer> {
    const thread = book.threadOf(id);
    const comment = thread?.comments.find((one) => one.id === id);
    if (!thread || !comment || caller.kind === 'app') return refuse(404, 'Not Found');
    const changes = { body: { from: comment.body } };
    comment.body = String(body.body ?? '');
    comment.edit = { at: new Date().toISOString(), by: authorOf(caller) };
    const review = book.review(comment.review);
    const part = { comment: await showRemark(comment, thread), changes };
    // Nobody else sees a remark before its review is submitted.
    if (review && review.state !== 'PENDING')
      await tell('pull_request_review_comment', 'edited', review, part);
    return { status: 200, body: await showRemark(comment, thread) };
  }

  async function deleteRemark(id: number, { caller }: Call): Promise<Answer> {
    const thread = book.threadOf(id);
    const comment = thread?.comments.find((one) => one.id === id);
    const review = comment && book.review(comment.review);
    if (!thread || !comment || !review || caller.kind === 'app') return refuse(404, 'Not Found');
    const part = { comment: await showRemark(comment, thread) };
    book.remove(id);
    await tell('pull_request_review_comment', 'deleted', review, part);
    return { status: 204, body: undefined };
  }

  async function dismiss(id: number, { body }: Call): Promise<Answer> {
    const review = book.review(id);
    if (!review || review.state === 'PENDING') return refuse(422, 'Validation Failed');
    review.state = 'DISMISSED';
    await tell('pull_request_review', 'dismissed', review, { review: await showReview(review) });
    return { status: 200, body: { ...(await showReview(review)), message: body.message } };
  }

  const resolve: ReviewGap['resolve'] = async (thread, isResolved) => {
    thread.resolved = isResolved;
    const [first] = thread.comments;
    const review = first && book.review(first.review);
    if (!review) return;
    const comments = await Promise.all(thread.comments.map((comment) => showRemark(comment, thread)));
    const part = { thread: { node_id: thread.id, comments } };
    await tell('pull_request_review_thread', isResolved ? 'resolved' : 'unresolved', review, part);
  };

  async function listReviews(number: number, { caller, query }: Call): Promise<Answer> {
    const mine = caller.kind === 'app' ? '' : caller.login;
    const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 30)];
    const seen = book
      .reviews(number)
      .filter(({ state, author }) => state !== 'PENDING' || author.login === mine)
      .slice((page - 1) * size, page * size);
    return { status: 200, body: await Promise.all(seen.map(showReview)) };
  }

  async function listRemarks(number: number): Promise<Answer> {
    const shown = book
      .threads(number)
      .flatMap((thread) => thread.comments.map((comment) => ({ thread, comment })))
      .filter(({ comment }) => book.review(comment.review)?.state !== 'PENDING');
    return {
      status: 200,
      body: await Promise.all(shown.map(({ thread, comment }) => showRemark(comment, thread))),
    };
  }

  return {
    submit,
    resolve,
    async answer(call) {
      const { method, path } = call;
      const reviews = matchPath('/repos/:owner/:repo/pulls/:number/reviews', path);
      if (reviews && method === 'POST') return addReview(Number(reviews.number), call);
      if (reviews && method === 'GET') return listReviews(Number(reviews.number), call);
      const remarks = matchPath('/repos/:owner/:repo/pulls/:number/comments', path);
      if (remarks && method === 'POST') return addRemark(Number(remarks.number), call);
      if (remarks && method === 'GET') return listRemarks(Number(remarks.number));
      const reply = matchPath('/repos/:owner/:repo/pulls/:number/comments/:id/replies', path);
      if (reply && method === 'POST') return addRemark(Number(reply.number), call, Number(reply.id));
      const edited = matchPath('/repos/:owner/:repo/pulls/comments/:id', path);
      if (edited && method === 'PATCH') return editRemark(Number(edited.id), call);
      if (edited && method === 'DELETE') return deleteRemark(Number(edited.id), call);
      const gone = matchPath('/repos/:owner/:repo/pulls/:number/reviews/:id/dismissals', path);
      if (gone && method === 'PUT') return dismiss(Number(gone.id), call);
      return undefined;
    },
  };
}

export function authorOf(caller: Exclude<Call['caller'], { kind: 'app' }>): Author {
  return { login: caller.login, bot: caller.kind !== 'person' };
}
