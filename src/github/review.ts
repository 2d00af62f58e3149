import type {
  PullReview,
  ReviewedPull,
  ReviewMethods,
  ReviewThread,
  ThreadComment,
} from '../core/ports/github/review-port.ts';
import { GitHubError } from '../core/ports/github-port.ts';
import { type Client, isRefusedAlone, orUndefined } from './client/client.ts';

const COMMENT = `fullDatabaseId id body url createdAt lastEditedAt viewerDidAuthor diffHunk state
  author { __typename login } editor { __typename login } originalCommit { oid }
  pullRequestReview { submittedAt }`;

const THREAD = `id path isResolved isOutdated subjectType diffSide line startLine originalLine originalStartLine
  comments(first: 100) { pageInfo { hasNextPage endCursor } nodes { ${COMMENT} } }`;

const REVIEW = `fullDatabaseId id body url state submittedAt lastEditedAt viewerDidAuthor
  author { __typename login } editor { __typename login }`;

const PULL = `query ($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) {
      id headRefOid baseRefName baseRefOid state isDraft isInMergeQueue mergeable
      reviews(first: 100) {
        pageInfo { hasNextPage endCursor }
        nodes { ${REVIEW} }
      }
      reviewThreads(first: 100) { pageInfo { hasNextPage endCursor } nodes { ${THREAD} } }
    }
  }
}`;

const MORE_THREADS = `query ($id: ID!, $after: String!) {
  node(id: $id) {
    ... on PullRequest {
      reviewThreads(first: 100, after: $after) { pageInfo { hasNextPage endCursor } nodes { ${THREAD} } }
    }
  }
}`;

const MORE_REVIEWS = `query ($id: ID!, $after: String!) {
  node(id: $id) {
    ... on PullRequest {
      reviews(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { ${REVIEW} }
      }
    }
  }
}`;

const MORE_COMMENTS = `query ($id: ID!, $after: String!) {
  node(id: $id) {
    ... on PullRequestReviewThread {
      comments(first: 100, after: $after) { pageInfo { hasNextPage endCursor } nodes { ${COMMENT} } }
    }
  }
}`;

const BEGIN = `mutation ($pull: ID!) {
  addPullRequestReview(input: { pullRequestId: $pull }) { pullRequestReview { id } }
}`;

const SUBMIT = `mutation ($review: ID!, $body: String!) {
  submitPullRequestReview(input: { pullRequestReviewId: $review, event: COMMENT, body: $body }) { pullRequestReview { id } }
}`;

const REPLIES = `query ($id: ID!, $after: String) {
  node(id: $id) {
    ... on PullRequestReview { comments(first: 100, after: $after) { pageInfo { hasNextPage endCursor } nodes { body } } }
  }
}`;

interface Page<Node> {
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
  nodes: Node[];
}
type Actor = { __typename: string; login: string } | null;
interface CommentNode {
  fullDatabaseId: string | number | null;
  id: string;
  body: string;
  url: string;
  createdAt: string;
  lastEditedAt: string | null;
  viewerDidAuthor: boolean;
  diffHunk: string;
  state: 'PENDING' | 'SUBMITTED';
  author: Actor;
  editor: Actor;
  originalCommit: { oid: string } | null;
  pullRequestReview: { submittedAt: string | null } | null;
}
interface ThreadNode {
  id: string;
  path: string;
  isResolved: boolean;
  isOutdated: boolean;
  subjectType: 'LINE' | 'FILE';
  diffSide: 'LEFT' | 'RIGHT';
  line: number | null;
  startLine: number | null;
  originalLine: number | null;
  originalStartLine: number | null;
  comments: Page<CommentNode>;
}
interface ReviewNode {
  fullDatabaseId: string | number | null;
  id: string;
  body: string;
  url: string;
  state: string;
  submittedAt: string | null;
  lastEditedAt: string | null;
  viewerDidAuthor: boolean;
  author: Actor;
  editor: Actor;
}
interface PullNode {
  id: string;
  headRefOid: string;
  baseRefName: string;
  baseRefOid: string;
  state: ReviewedPull['state'];
  isDraft: boolean;
  isInMergeQueue: boolean;
  mergeable: ReviewedPull['mergeable'];
  reviews: Page<ReviewNode>;
  reviewThreads: Page<ThreadNode>;
}

/** A pull request has so many pages at most. More would keep the desk from everything else. */
const MOST_PAGES = 20;

/** The words of reviewers, and one review as the answer to all of them. */
export function createReviewMethods({ graphql, graphqlEach, request, owner, repo }: Client): ReviewMethods {
  /** All nodes of a connection, from its first page on. */
  async function all<Node>(first: Page<Node>, more: (after: string) => Promise<Page<Node> | undefined>) {
    const nodes = [...first.nodes];
    let { pageInfo } = first;
    for (let page = 1; page < MOST_PAGES && pageInfo.hasNextPage && pageInfo.endCursor; page += 1) {
      const next = await more(pageInfo.endCursor);
      if (!next) break;
      nodes.push(...next.nodes);
      pageInfo = next.pageInfo;
    }
    return nodes;
  }

  async function readThread(node: ThreadNode): Promise<ReviewThread> {
    const comments = await all(node.comments, async (after) => {
      const read = await graphql<{ node: { comments?: Page<CommentNode> } | null }>(MORE_COMMENTS, {
        id: node.id,
        after,
      });
      return read.node?.comments;
    });
    return {
      ...{ id: node.id, path: node.path, is_resolved: node.isResolved, is_outdated: node.isOutdated },
      ...{ subject: node.subjectType, side: node.diffSide },
      line: node.line ?? undefined,
      start_line: node.startLine ?? undefined,
      original_line: node.originalLine ?? undefined,
      original_start_line: node.originalStartLine ?? undefined,
      comments: comments.map(toComment),
    };
  }

  return {
    async reviewedPull(number) {
      const answer = await orUndefined(
        graphql<{ repository: { pullRequest: PullNode | null } | null }>(PULL, { owner, repo, number }),
      );
      const pull = answer?.repository?.pullRequest;
      if (!pull) return undefined;
      const page = async <Field extends 'reviews' | 'reviewThreads'>(
        field: Field,
        query: string,
        after: string,
      ) => {
        const read = await graphql<{ node: Partial<Pick<PullNode, Field>> | null }>(query, {
          id: pull.id,
          after,
        });
        return read.node?.[field];
      };
      const threads = await all(pull.reviewThreads, (after) => page('reviewThreads', MORE_THREADS, after));
      const reviews = await all(pull.reviews, (after) => page('reviews', MORE_REVIEWS, after));
      return {
        ...{
          node_id: pull.id,
          head_sha: pull.headRefOid,
          base_ref: pull.baseRefName,
          base_sha: pull.baseRefOid,
        },
        ...{ state: pull.state, is_draft: pull.isDraft, is_queued: pull.isInMergeQueue },
        mergeable: pull.mergeable,
        reviews: reviews.map(toReview),
        threads: await inOrder(threads, readThread),
      };
    },

    async beginReview(pull) {
      const answer = await graphql<{ addPullRequestReview: { pullRequestReview: { id: string } } }>(BEGIN, {
        pull,
      });
      return { node_id: answer.addPullRequestReview.pullRequestReview.id };
    },

    async replyInReview(review, replies) {
      const variables = Object.fromEntries(
        replies.flatMap(({ thread, body }, index) => [
          [`thread${index}`, thread],
          [`body${index}`, body],
        ]),
      );
      const failed = await graphqlEach(replyDocument(replies.length), { review, ...variables });
      const threadOf = (field: string) => replies[Number(field.slice(1))]?.thread ?? '';
      const gone = failed.filter(({ error }) => error.status === 404);
      // If the review itself is gone, or not there yet, no reply was made, and the threads say nothing by it.
      const isOfThread = ({ field, error }: (typeof gone)[number]) =>
        isAbout(error, threadOf(field)) || (!isAbout(error, review) && gone.length < replies.length);
      const other = gone.find((one) => !isOfThread(one));
      if (other) throw other.error;
      return failed.filter((one) => !gone.includes(one)).map(({ field }) => threadOf(field));
    },

    async submitReview(review, body) {
      await graphql(SUBMIT, { review, body });
    },

    async repliesInReview(id) {
      const read = async (after?: string) =>
        (await graphql<{ node: { comments?: Page<{ body: string }> } | null }>(REPLIES, { id, after })).node
          ?.comments;
      const first = await read();
      return first ? (await all(first, read)).map(({ body }) => body) : [];
    },

    async replyToRemark(pull_number, comment_id, body) {
      try {
        await orUndefined(
          request('POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies', {
            ...{ owner, repo, pull_number, comment_id, body },
          }),
        );
        return true;
      } catch (error) {
        if (isRefusedAlone(error)) return false;
        throw error;
      }
    },

    async requestReview(pull_number, reviewers) {
      for (const login of reviewers) {
        try {
          await request('POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers', {
            ...{ owner, repo, pull_number, reviewers: [login] },
          });
        } catch (error) {
          // Somebody who is no collaborator, or the author, cannot be asked.
          if (!(error instanceof GitHubError) || ![403, 404, 422].includes(error.status)) throw error;
        }
      }
    },
  };
}

/** GitHub quotes the id of the node that it does not find. */
function isAbout({ message }: GitHubError, node: string): boolean {
  return message.includes(`'${node}'`);
}

/** A field for each reply, because GitHub counts calls. */
function replyDocument(count: number): string {
  const numbers = Array.from({ length: count }, (_, index) => index);
  const variables = numbers.map((index) => `$thread${index}: ID!, $body${index}: String!`);
  const fields = numbers.map(
    (index) => `  r${index}: addPullRequestReviewThreadReply(
    input: { pullRequestReviewId: $review, pullRequestReviewThreadId: $thread${index}, body: $body${index} }
  ) { comment { id } }`,
  );
  return ['mutation ($review: ID!, ', variables.join(', '), ') {\n', fields.join('\n'), '\n}'].join('');
}

async function inOrder<Item, Result>(
  items: Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

/** GraphQL omits the `[bot]` suffix that REST and webhooks add to Apps. */
function loginOf(actor: Actor): string {
  if (!actor) return 'ghost';
  return actor.__typename === 'Bot' ? `${actor.login}[bot]` : actor.login;
}

function toComment(node: CommentNode): ThreadComment {
  return {
    ...{ id: Number(node.fullDatabaseId ?? 0), node_id: node.id, body: node.body, url: node.url },
    ...{ author: loginOf(node.author), author_type: node.author?.__typename ?? 'User' },
    ...{ is_own: node.viewerDidAuthor, created_at: node.createdAt, diff_hunk: node.diffHunk },
    edited_at: node.lastEditedAt ?? undefined,
    editor: node.editor ? loginOf(node.editor) : undefined,
    is_pending: node.state === 'PENDING',
    commit: node.originalCommit?.oid,
    submitted_at: node.pullRequestReview?.submittedAt ?? undefined,
  };
}

function toReview(node: ReviewNode): PullReview {
  return {
    ...{ id: Number(node.fullDatabaseId ?? 0), node_id: node.id, body: node.body, url: node.url },
    ...{ author: loginOf(node.author), author_type: node.author?.__typename ?? 'User' },
    ...{ is_own: node.viewerDidAuthor, state: node.state },
    submitted_at: node.submittedAt ?? undefined,
    edited_at: node.lastEditedAt ?? undefined,
    editor: node.editor ? loginOf(node.editor) : undefined,
  };
}
