import type { Endpoints } from '@octokit/types';
import type { GitHub, GitHubIssue, IssueEvent } from '../core/ports/github-port.ts';
import { type Client, isStatus, orUndefined } from './client/client.ts';
import { PER_PAGE, readAllPages, readChangedPages } from './client/pages.ts';

type Methods = Pick<GitHub, 'issue' | 'labelSpelling' | 'issuesWithLabel' | 'issueEvents'>;
type Answer = Endpoints['GET /repos/{owner}/{repo}/issues/{issue_number}']['response']['data'];
type EventAnswer =
  Endpoints['GET /repos/{owner}/{repo}/issues/{issue_number}/events']['response']['data'][number];

export function createIssueMethods({ request, requestIfChanged }: Client): Methods {
  return {
    async issue(number) {
      const answer = await orUndefined(
        request('GET /repos/{owner}/{repo}/issues/{issue_number}', { issue_number: number }),
      );
      // A transferred issue redirects to another repository and number. Here it does not exist any more.
      return answer?.data.number === number ? toIssue(answer.data) : undefined;
    },

    async labelSpelling(label, etag) {
      try {
        const answer = await requestIfChanged(
          'GET /repos/{owner}/{repo}/labels/{name}',
          { name: label },
          etag,
        );
        return answer ? { name: answer.data.name, etag: answer.headers.etag } : 'unchanged';
      } catch (error) {
        if (isStatus(error, 404)) return undefined;
        throw error;
      }
    },

    async issuesWithLabel(label, etags = []) {
      const listing = await readChangedPages(`issues labelled ${label}`, etags, async (page, etag) => {
        const answer = await requestIfChanged(
          'GET /repos/{owner}/{repo}/issues',
          { labels: label, state: 'open', sort: 'updated', direction: 'desc', per_page: PER_PAGE, page },
          etag,
        );
        return answer && { items: answer.data, link: answer.headers.link, etag: answer.headers.etag };
      });
      return listing && { ...listing, items: listing.items.map(toIssue) };
    },

    issueEvents: (issue) =>
      readAllPages(`events of #${issue}`, async (page) => {
        const answer = await orUndefined(
          request('GET /repos/{owner}/{repo}/issues/{issue_number}/events', {
            issue_number: issue,
            per_page: PER_PAGE,
            page,
          }),
        );
        return { items: answer?.data.map(toEvent) ?? [], link: answer?.headers.link };
      }),
  };
}

function toIssue(answer: Answer): GitHubIssue {
  return {
    number: answer.number,
    node_id: answer.node_id,
    title: answer.title,
    body: answer.body ?? '',
    state: answer.state === 'open' ? 'open' : 'closed',
    locked: answer.locked,
    labels: answer.labels.flatMap((label) => (typeof label === 'string' ? label : (label.name ?? []))),
    author: answer.user?.login ?? 'ghost',
    comments: answer.comments,
    updated_at: answer.updated_at,
    closed_at: answer.closed_at ?? undefined,
    ...(answer.pull_request && { is_pull: true }),
  };
}

function toEvent(answer: EventAnswer): IssueEvent {
  const { actor, performed_via_github_app: app } = answer;
  return {
    id: Number(answer.id),
    event: answer.event ?? '',
    // The actor is null if the account was deleted.
    ...(actor && { actor: actor.login, actor_type: actor.type }),
    ...(app && { app_id: Number(app.id) }),
    ...('label' in answer && answer.label?.name && { label: answer.label.name }),
    created_at: answer.created_at ?? '',
  };
}
