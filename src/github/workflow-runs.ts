import type { Endpoints } from '@octokit/types';
import type { WorkflowRun } from '../core/ports/github/workflow-port.ts';
import type { GitHub } from '../core/ports/github-port.ts';
import { type Client, isStatus, orUndefined } from './client/client.ts';
import { PER_PAGE, readAllPages } from './client/pages.ts';

type Methods = Pick<GitHub, 'workflowRun' | 'workflowRuns' | 'cancelRun'>;
type Answer = Endpoints['GET /repos/{owner}/{repo}/actions/runs/{run_id}']['response']['data'];

export function createWorkflowRunMethods({ request }: Client): Methods {
  return {
    async workflowRun(id) {
      const answer = await orUndefined(
        request('GET /repos/{owner}/{repo}/actions/runs/{run_id}', { run_id: id }),
      );
      return answer && toWorkflowRun(answer.data);
    },

    workflowRuns: (workflow, since) =>
      readAllPages(`runs of ${workflow} since ${since}`, async (page) => {
        const { data, headers } = await request(
          'GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs',
          { workflow_id: workflow, created: `>=${since}`, per_page: PER_PAGE, page },
        );
        return { items: data.workflow_runs.map(toWorkflowRun), link: headers.link };
      }),

    async cancelRun(id) {
      await request('POST /repos/{owner}/{repo}/actions/runs/{run_id}/cancel', { run_id: id }).catch(
        (error: unknown) => {
          // The run has already ended or was deleted.
          if (!isStatus(error, 404, 409)) throw error;
        },
      );
    },
  };
}

function toWorkflowRun(answer: Answer): WorkflowRun {
  return {
    id: Number(answer.id),
    status: answer.status ?? 'queued',
    conclusion: answer.conclusion,
    attempt: answer.run_attempt ?? 1,
    name: answer.display_title,
    created_at: answer.created_at,
    updated_at: answer.updated_at,
    url: answer.html_url,
  };
}
