import type { Endpoints } from '@octokit/types';
import type { GitHub, GitHubReview, PullRequest } from '../core/ports/github-port.ts';
import { type Client, isStatus, orUndefined } from './client/client.ts';
import { PER_PAGE, readAllPages, readChangedPages } from './client/pages.ts';
import { refuseLongText } from './client/text-limit.ts';

type Methods = Pick<
  GitHub,
  | 'pullRequestOf'
  | 'pullRequest'
  | 'pullRequests'
  | 'reviews'
  | 'withoutReview'
  | 'createPullRequest'
  | 'updatePullRequest'
  | 'markReady'
>;
type Listed = Endpoints['GET /repos/{owner}/{repo}/pulls']['response']['data'][number];
type Review = Endpoints['GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews']['response']['data'][number];

/** Empty if the node is no pull request. */
interface Reviewed {
  id?: string;
  reviews?: { totalCount: number };
}

const MAX_TITLE_CHARS = 256;

const MARK_READY = `mutation ($id: ID!) {
  markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft } }
}`;

const DESCRIBE_READY = `mutation ($id: ID!, $body: String!) {
  updatePullRequest(input: { pullRequestId: $id, body: $body }) { clientMutationId }
  markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft } }
}`;

const REVIEWS = `query ($ids: [ID!]!) {
  nodes(ids: $ids) { ... on PullRequest { id reviews { totalCount } } }
}`;

const IS_DRAFT = 'query ($id: ID!) { node(id: $id) { ... on PullRequest { isDraft } } }';

export function createPullRequestMethods({ owner, request, requestIfChanged, graphql }: Client): Methods {
  async function pullRequestOf(branch: string, base: string): Promise<PullRequest | undefined> {
    const { data } = await request('GET /repos/{owner}/{repo}/pulls', {
      head: `${owner}:${branch}`,
      state: 'all',
      sort: 'created',
      direction: 'desc',
      per_page: PER_PAGE,
    });
    // GitHub ignores a malformed `head` and lists all pull requests.
    const ours = data.filter((pull) => pull.head.ref === branch && pull.base.ref === base);
    const found = ours.find(({ state }) => state === 'open') ?? ours[0];
    return found && toPullRequest(found);
  }

  return {
    pullRequestOf,

    async pullRequest(number) {
      const answer = await orUndefined(
        request('GET /repos/{owner}/{repo}/pulls/{pull_number}', { pull_number: number }),
      );
      return answer && toPullRequest(answer.data);
    },

    async pullRequests(since, etags = []) {
      const from = since === undefined ? Number.POSITIVE_INFINITY : Date.parse(since);
      const listing = await readChangedPages(
        `pull requests since ${since}`,
        // A change brings a pull request to the first page, so that page alone says whether there was one.
        etags.slice(0, 1),
        async (page, etag) => {
          const answer = await requestIfChanged(
            'GET /repos/{owner}/{repo}/pulls',
            { state: 'all', sort: 'updated', direction: 'desc', per_page: PER_PAGE, page },
            etag,
          );
          return answer && { items: answer.data, link: answer.headers.link, etag: answer.headers.etag };
        },
        { isLast: (items) => items.some(({ updated_at }) => Date.parse(updated_at) < from) },
      );
      return listing && { items: listing.items.map(toPullRequest), etags: listing.etags.slice(0, 1) };
    },

    async withoutReview(nodeIds) {
      // One id that GitHub does not know fails the whole answer. Then each pull request may have a review.
      const answer = await orUndefined(
        graphql<{ nodes: (Reviewed | null)[] }>(REVIEWS, { ids: [...nodeIds] }),
      );
      const found = answer?.nodes ?? [];
      return new Set(found.flatMap((pull) => (pull?.reviews?.totalCount === 0 && pull.id ? [pull.id] : [])));
    },

    async reviews(number) {
      const reviews = await readAllPages(`reviews of #${number}`, async (page) => {
        const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
        const { data, headers } = await request(route, { pull_number: number, per_page: PER_PAGE, page });
        return { items: data, link: headers.link };
      });
      return reviews.flatMap(toReview);
    },

    async createPullRequest({ branch, base, title, body, draft }) {
      refuseLongPullRequest(title, body);
      const create = async (asDraft: boolean) => {
        const { data } = await request('POST /repos/{owner}/{repo}/pulls', {
          head: branch,
          base,
          title,
          body,
          draft: asDraft,
        });
        return toPullRequest(data);
      };
      try {
        return await create(draft);
      } catch (error) {
        if (!isStatus(error, 422)) throw error;
        if (draft && /draft pull requests are not supported/i.test(error.message)) return create(false);
        // An earlier attempt succeeded and its response was lost.
        const existing = /already exists/i.test(error.message)
          ? await pullRequestOf(branch, base)
          : undefined;
        if (existing?.state !== 'open') throw error;
        return existing;
      }
    },

    async updatePullRequest(number, { title, body }) {
      refuseLongPullRequest(title ?? '', body ?? '');
      await request('PATCH /repos/{owner}/{repo}/pulls/{pull_number}', {
        pull_number: number,
        ...(title !== undefined && { title }),
        ...(body !== undefined && { body }),
      });
    },

    async markReady(nodeId, body) {
      if (body !== undefined) {
        refuseLongPullRequest('', body);
        await graphql(DESCRIBE_READY, { id: nodeId, body });
        return;
      }
      try {
        await graphql(MARK_READY, { id: nodeId });
      } catch (error) {
        const answer = await graphql<{ node: { isDraft?: boolean } | null }>(IS_DRAFT, { id: nodeId }).catch(
          () => undefined,
        );
        if (answer?.node?.isDraft !== false) throw error;
      }
    },
  };
}

function refuseLongPullRequest(title: string, body: string): void {
  refuseLongText("The pull request's title", title, MAX_TITLE_CHARS);
  refuseLongText("The pull request's description", body);
}

function toPullRequest(
  answer: Pick<
    Listed,
    | 'number'
    | 'node_id'
    | 'state'
    | 'draft'
    | 'merged_at'
    | 'merge_commit_sha'
    | 'body'
    | 'updated_at'
    | 'html_url'
  > & {
    head: { sha: string; ref: string; repo: { id: number | bigint } | null };
    base: { ref: string; repo: { id: number | bigint } | null };
    mergeable?: boolean | null;
  },
): PullRequest {
  const { head, base } = answer;
  const isOwn = head.repo != null && head.repo.id === base.repo?.id;
  return {
    number: answer.number,
    node_id: answer.node_id,
    state: answer.state === 'open' ? 'open' : 'closed',
    draft: answer.draft ?? false,
    merged: answer.merged_at !== null,
    head_sha: head.sha,
    branch: isOwn ? head.ref : undefined,
    base: base.ref,
    mergeable: answer.mergeable ?? undefined,
    merge_sha: answer.merge_commit_sha ?? undefined,
    body: answer.body ?? '',
    updated_at: answer.updated_at,
    url: answer.html_url,
  };
}

/** A review without a date is a draft that was not submitted. */
function toReview(answer: Review): GitHubReview[] {
  const { id, node_id, body, user, state, html_url: url, submitted_at } = answer;
  if (!submitted_at) return [];
  const [author, author_type] = [user?.login ?? 'ghost', user?.type ?? 'User'];
  return [{ id: Number(id), node_id, body, author, author_type, state, url, submitted_at }];
}
