import type { Call, Edit, Json, Upstream } from '../gap.ts';
import { commentUrl, reviewUrl, type Urls } from './describe-review.ts';
import type { createPlaces } from './place-of-lines.ts';
import type { Author, BookedComment, BookedReview, ReviewBook, Thread } from './review-book.ts';
import { authorOf, type ReviewGap } from './reviews.ts';

const PAGE = 100;

interface Options {
  book: ReviewBook;
  places: ReturnType<typeof createPlaces>;
  gap: Pick<ReviewGap, 'submit' | 'resolve'>;
  upstream: Upstream;
  repository: string;
  urls: Urls;
  /** Numbers of the pull requests that wait in the merge queue. */
  queued: ReadonlySet<number>;
  mergeable(pull: number): Promise<string>;
}

interface Pull {
  number: number;
  node_id: string;
  state: string;
  draft: boolean;
  merged?: boolean;
  merged_at?: string | null;
  base: { ref: string };
  head: { ref: string; sha: string };
}

interface Variables extends Json {
  number?: number;
  id?: string;
  ids?: string[];
  after?: string;
  pull?: string;
  review?: string;
  thread?: string;
  body?: string;
}

/** The GraphQL queries about reviews. Undefined: this is none of them. */
export type ReviewQueries = (
  call: Call,
  query: string,
  variables: Variables,
) => Promise<{ data: unknown; errors?: FieldError[] } | undefined>;

/** GraphQL makes the other changes of a document all the same. */
interface FieldError {
  type: string;
  path: string[];
  message: string;
}

export function createReviewQueries(options: Options): ReviewQueries {
  const { book, places, gap, upstream, repository, urls, queued, mergeable } = options;

  async function findPull(match: (pull: Pull) => boolean): Promise<Pull | undefined> {
    const { body } = await upstream('GET', `${repository}/pulls?state=all&per_page=100`);
    return (body as Pull[]).find(match);
  }
  const tipOf = async (branch: string): Promise<string | undefined> => {
    const { body } = await upstream('GET', `${repository}/git/ref/heads/${branch}`);
    return (body as { object?: { sha: string } }).object?.sha;
  };

  function pageOf<Item>(items: Item[], after: string | undefined) {
    const from = Number(after ?? 0);
    const end = from + PAGE;
    const pageInfo = { hasNextPage: items.length > end, endCursor: items.length > 0 ? String(end) : null };
    return { pageInfo, items: items.slice(from, end) };
  }

  const isVisible = (login: string) => (comment: BookedComment) =>
    book.review(comment.review)?.state !== 'PENDING' || comment.author.login === login;

  function showComment(comment: BookedComment, thread: Thread, login: string): Json {
    const { id, node_id, body, created_at: createdAt, author, edit } = comment;
    return {
      ...{ fullDatabaseId: String(id), id: node_id, body, createdAt, diffHunk: thread.hunk },
      ...{ author: actor(author), viewerDidAuthor: author.login === login, ...edited(edit) },
      state: book.review(comment.review)?.state === 'PENDING' ? 'PENDING' : 'SUBMITTED',
      url: commentUrl(comment, thread, urls.html),
      originalCommit: { oid: thread.commit },
      pullRequestReview: { submittedAt: book.review(comment.review)?.submitted_at ?? null },
    };
  }

  function comments(thread: Thread, login: string, after?: string): Json {
    const { pageInfo, items } = pageOf(thread.comments.filter(isVisible(login)), after);
    return { pageInfo, nodes: items.map((comment) => showComment(comment, thread, login)) };
  }

  async function threads(number: number, head: string, login: string, after?: string): Promise<Json> {
    const shown = book.threads(number).filter((thread) => thread.comments.some(isVisible(login)));
    const { pageInfo, items } = pageOf(shown, after);
    const nodes: Json[] = [];
    for (const thread of items) {
      const { id, path, resolved: isResolved, subject: subjectType, side: diffSide } = thread;
      nodes.push({
        ...{ id, path, isResolved, subjectType, diffSide, ...(await places.placeNow(thread, head)) },
        ...{ originalLine: thread.line, originalStartLine: thread.start_line },
        comments: comments(thread, login),
      });
    }
    return { pageInfo, nodes };
  }

  function showReview(review: BookedReview, login: string): Json {
    const { id, node_id, body, state, submitted_at: submittedAt, author, edit } = review;
    return {
      ...{ fullDatabaseId: String(id), id: node_id, body, state, submittedAt, author: actor(author) },
      ...{ viewerDidAuthor: author.login === login, ...edited(edit) },
      url: reviewUrl(review, urls.html),
    };
  }

  function seenBy(login: string, number: number): BookedReview[] {
    return book.reviews(number).filter(({ state, author }) => state !== 'PENDING' || author.login === login);
  }

  function reviews(number: number, login: string, after?: string): Json {
    const { pageInfo, items } = pageOf(seenBy(login, number), after);
    return { pageInfo, nodes: items.map((review) => showReview(review, login)) };
  }

  async function readPull(number: number, login: string): Promise<unknown> {
    const pull = await findPull((one) => one.number === number);
    if (!pull) return { repository: { pullRequest: null } };
    const head = (await tipOf(pull.head.ref)) ?? pull.head.sha;
    const isMerged = pull.merged === true || Boolean(pull.merged_at);
    const state = pull.state === 'open' ? 'OPEN' : isMerged ? 'MERGED' : 'CLOSED';
    return {
      repository: {
        pullRequest: {
          ...{ id: pull.node_id, headRefOid: head, baseRefName: pull.base.ref, state },
          baseRefOid: await tipOf(pull.base.ref),
          ...{ isDraft: pull.draft, isInMergeQueue: queued.has(number), mergeable: await mergeable(number) },
          reviews: reviews(number, login),
          reviewThreads: await threads(number, head, login),
        },
      },
    };
  }

  async function countReviews({ ids = [] }: Variables, login: string): Promise<unknown> {
    const { body } = await upstream('GET', `${repository}/pulls?state=all&per_page=100`);
    const pulls = body as Pull[];
    const nodes = ids.map((id) => {
      const pull = pulls.find(({ node_id }) => node_id === id);
      return pull ? { id, reviews: { totalCount: seenBy(login, pull.number).length } } : null;
    });
    return nodes.includes(null) ? undefined : { nodes };
  }

  async function readMore(query: string, { id = '', after }: Variables, login: string): Promise<unknown> {
    if (query.includes('... on PullRequestReviewThread')) {
      const thread = book.thread(id);
      return { node: thread ? { comments: comments(thread, login, after) } : null };
    }
    if (query.includes('... on PullRequestReview {')) {
      const review = book.review(id);
      const { pageInfo, items } = pageOf(review ? book.commentsOf(review.id) : [], after);
      return { node: review ? { comments: { pageInfo, nodes: items.map(({ body }) => ({ body })) } } : null };
    }
    const pull = await findPull((one) => one.node_id === id);
    if (!pull) return { node: null };
    if (query.includes('reviewThreads(')) {
      const head = (await tipOf(pull.head.ref)) ?? pull.head.sha;
      return { node: { reviewThreads: await threads(pull.number, head, login, after) } };
    }
    return { node: { reviews: reviews(pull.number, login, after) } };
  }

  async function change(call: Call, query: string, variables: Variables): Promise<unknown> {
    const { caller } = call;
    if (caller.kind === 'app') return undefined;
    if (query.includes('addPullRequestReview(')) {
      const pull = await findPull(({ node_id }) => node_id === variables.pull);
      if (!pull) return undefined;
      const head = (await tipOf(pull.head.ref)) ?? pull.head.sha;
      const review = book.begin(pull.number, authorOf(caller), head);
      return { addPullRequestReview: { pullRequestReview: { id: review.node_id } } };
    }
    if (/esolveReviewThread\(/.test(query)) {
      const thread = book.thread(variables.thread ?? '');
      if (!thread) return undefined;
      await gap.resolve(thread, query.includes(' resolveReviewThread('));
      return {
        [thread.resolved ? 'resolveReviewThread' : 'unresolveReviewThread']: { thread: { id: thread.id } },
      };
    }
    if (query.includes('submitPullRequestReview(')) {
      const review = book.review(variables.review ?? '');
      if (!review) return undefined;
      if (review.state !== 'PENDING') throw new Error('Can not submit a review that is not pending');
      await gap.submit(review, 'COMMENT', variables.body);
      return { submitPullRequestReview: { pullRequestReview: { id: review.node_id } } };
    }
    return undefined;
  }

  function replyAll({ caller }: Call, query: string, variables: Variables) {
    const data: Json = {};
    const errors: FieldError[] = [];
    for (const { field, ...reply } of repliesIn(query, variables)) {
      const thread = book.thread(reply.thread);
      const fail = (type: string, message: string) => {
        data[field] = null;
        errors.push({ type, path: [field], message });
      };
      if (!thread || caller.kind === 'app') {
        fail('NOT_FOUND', `Could not resolve to a node with the global id of '${reply.thread}'`);
        continue;
      }
      // Without the id of a review, the reply goes into the pending one, which nobody sees.
      const into =
        book.review(reply.review) ??
        book.pendingOf(thread.pull, caller.login) ??
        book.begin(thread.pull, authorOf(caller), thread.commit);
      try {
        data[field] = { comment: { id: book.reply(into, thread, reply.body).node_id } };
      } catch (error) {
        fail('UNPROCESSABLE', (error as Error).message);
      }
    }
    return { data, ...(errors.length > 0 && { errors }) };
  }

  return async (call, query, variables) => {
    const login = call.caller.kind === 'app' ? '' : call.caller.login;
    if (query.includes(`${REPLY}(`)) return replyAll(call, query, variables);
    if (/(?:addPullRequestReview|submitPullRequestReview|esolveReviewThread)\(/.test(query))
      return { data: await change(call, query, variables) };
    if (query.includes('reviews { totalCount }')) return { data: await countReviews(variables, login) };
    if (query.includes('pullRequest(number:') && query.includes('reviewThreads('))
      return { data: await readPull(variables.number ?? 0, login) };
    if (
      /\.\.\. on (?:PullRequestReviewThread|PullRequestReview|PullRequest) \{\s*(?:reviewThreads|reviews|comments)\(/.test(
        query,
      )
    )
      return { data: await readMore(query, variables, login) };
    return undefined;
  };
}

const REPLY = 'addPullRequestReviewThreadReply';
const REPLIES = new RegExp(`(?:(\\w+):\\s*)?${REPLY}\\(\\s*input:\\s*\\{([^}]*)\\}`, 'g');

/** The replies of a document, by the names of their fields. Every argument is a variable. */
function repliesIn(query: string, variables: Variables) {
  return [...query.matchAll(REPLIES)].map(([, field = REPLY, fields = '']) => {
    const named = new Map(
      [...fields.matchAll(/(\w+):\s*\$(\w+)/g)].map(([, name = '', variable = '']) => [
        name,
        String(variables[variable] ?? ''),
      ]),
    );
    const read = (name: string) => named.get(name) ?? '';
    return {
      field,
      review: read('pullRequestReviewId'),
      thread: read('pullRequestReviewThreadId'),
      body: read('body'),
    };
  });
}

/** GraphQL omits the `[bot]` of Apps. */
function actor({ login, bot }: Author): Json {
  return { __typename: bot ? 'Bot' : 'User', login: login.replace(/\[bot\]$/, '') };
}

function edited(edit: Edit | undefined): Json {
  return { lastEditedAt: edit?.at ?? null, editor: edit ? actor(edit.by) : null };
}
