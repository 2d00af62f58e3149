import type { Endpoints } from '@octokit/types';
import type { GitHub, GitHubIssue } from '../core/github-port.ts';
import { type Client, orUndefined } from './client.ts';
import { PER_PAGE, readAllPages } from './pages.ts';

type Methods = Pick<GitHub, 'issue' | 'issuesWithLabel'>;
type Answer = Endpoints['GET /repos/{owner}/{repo}/issues/{issue_number}']['response']['data'];

export function createIssueMethods({ request }: Client): Methods {
  return {
    async issue(number) {
      const answer = await orUndefined(
        request('GET /repos/{owner}/{repo}/issues/{issue_number}', { issue_number: number }),
      );
      // A transferred issue redirects to where it went, under another number: here it is gone.
      return answer?.data.number === number ? toIssue(answer.data) : undefined;
    },

    async issuesWithLabel(label) {
      const issues = await readAllPages(`issues labelled ${label}`, async (page) => {
        const { data, headers } = await request('GET /repos/{owner}/{repo}/issues', {
          labels: label,
          state: 'open',
          per_page: PER_PAGE,
          page,
        });
        return { items: data, link: headers.link };
      });
      return issues.filter((issue) => !issue.pull_request).map(toIssue);
    },
  };
}

function toIssue(answer: Answer): GitHubIssue {
  return {
    number: answer.number,
    title: answer.title,
    body: answer.body ?? '',
    state: answer.state === 'open' ? 'open' : 'closed',
    locked: answer.locked,
    labels: answer.labels.flatMap((label) => (typeof label === 'string' ? label : (label.name ?? []))),
    author: answer.user?.login ?? 'ghost',
    updated_at: answer.updated_at,
  };
}
