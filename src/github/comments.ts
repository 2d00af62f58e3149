import type { Endpoints } from '@octokit/types';
import type { GitHub, GitHubComment } from '../core/ports/github-port.ts';
import { type Client, orUndefined } from './client/client.ts';
import { PER_PAGE, readAllPages, readChangedPages } from './client/pages.ts';
import { refuseLongText } from './client/text-limit.ts';

type Methods = Pick<
  GitHub,
  'comments' | 'commentsOfAll' | 'comment' | 'createComment' | 'updateComment' | 'deleteComment' | 'react'
>;
type Answer = Endpoints['GET /repos/{owner}/{repo}/issues/comments/{comment_id}']['response']['data'];

export function createCommentMethods({ request, requestIfChanged }: Client): Methods {
  return {
    comments: (issue, since) =>
      readAllPages(`comments on #${issue}`, async (page) => {
        const { data, headers } = await request('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
          issue_number: issue,
          per_page: PER_PAGE,
          page,
          ...(since !== undefined && { since }),
        });
        return { items: data.map(toComment), link: headers.link };
      }),

    async commentsOfAll(since, etags = [], mostPages) {
      const what = `comments since ${since}`;
      const readPage = async (page: number, etag?: string) => {
        const answer = await requestIfChanged(
          'GET /repos/{owner}/{repo}/issues/comments',
          { since, sort: 'updated', direction: 'desc', per_page: PER_PAGE, page },
          etag,
        );
        return answer && { items: answer.data, link: answer.headers.link, etag: answer.headers.etag };
      };
      const listing = await readChangedPages(what, etags, readPage, { mostPages });
      const toNumbered = (answer: Answer) => ({
        ...toComment(answer),
        number: Number(answer.issue_url.split('/').at(-1)),
      });
      return listing && { ...listing, items: listing.items.map(toNumbered) };
    },

    async comment(id) {
      const answer = await orUndefined(
        request('GET /repos/{owner}/{repo}/issues/comments/{comment_id}', { comment_id: id }),
      );
      return answer && toComment(answer.data);
    },

    async createComment(issue, body) {
      refuseLongText(`The comment on #${issue}`, body);
      const { data } = await request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
        issue_number: issue,
        body,
      });
      return toComment(data);
    },

    async updateComment(id, body) {
      refuseLongText(`The new text of comment ${id}`, body);
      const answer = await orUndefined(
        request('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', { comment_id: id, body }),
      );
      return answer && toComment(answer.data);
    },

    async deleteComment(id) {
      await orUndefined(
        request('DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}', { comment_id: id }),
      );
    },

    async react(commentId, reaction) {
      await orUndefined(
        request('POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions', {
          comment_id: commentId,
          content: reaction,
        }),
      );
    },
  };
}

function toComment(answer: Answer): GitHubComment {
  return {
    id: Number(answer.id),
    node_id: answer.node_id,
    body: answer.body ?? '',
    // GitHub attributes comments of deleted accounts to this user.
    author: answer.user?.login ?? 'ghost',
    author_type: answer.user?.type ?? 'User',
    app_id: answer.performed_via_github_app ? Number(answer.performed_via_github_app.id) : undefined,
    created_at: answer.created_at,
    updated_at: answer.updated_at,
    url: answer.html_url,
  };
}
