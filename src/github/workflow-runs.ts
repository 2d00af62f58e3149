import type { Endpoints } from '@octokit/types';
import type { WorkflowJob, WorkflowRun } from '../core/ports/github/workflow-port.ts';
import type { GitHub } from '../core/ports/github-port.ts';
import { type Client, isStatus, orUndefined } from './client/client.ts';
import { PER_PAGE, readAllPages } from './client/pages.ts';

type Methods = Pick<GitHub, 'workflowRun' | 'workflowRuns' | 'workflowJobs' | 'jobMessages' | 'cancelRun'>;
type Job =
  Endpoints['GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs']['response']['data']['jobs'][number];
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

    async workflowJobs(id, attempt) {
      const jobs = await readAllPages(`jobs of run ${id}`, async (page) => {
        const answer = await orUndefined(
          request('GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs', {
            run_id: id,
            filter: 'all',
            per_page: PER_PAGE,
            page,
          }),
        );
        return { items: answer?.data.jobs ?? [], link: answer?.headers.link };
      });
      return jobs.filter(({ run_attempt = 1 }) => run_attempt === attempt).map(toWorkflowJob);
    },

    async jobMessages(job) {
      // A job is the check run of the same id.
      const route = 'GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations';
      const answer = await request(route, { check_run_id: job, per_page: PER_PAGE }).catch(
        (error: unknown) => {
          if (!isStatus(error, 403, 404)) throw error;
        },
      );
      return (answer?.data ?? []).flatMap(({ message }) => message ?? []);
    },

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

/** A job that waits for a machine has a time, too, but no steps. */
function toWorkflowJob({ id, conclusion, steps = [], started_at, completed_at }: Job): WorkflowJob {
  return {
    id: Number(id),
    conclusion,
    began_at: steps.length > 0 ? started_at : undefined,
    ended_at: completed_at ?? undefined,
  };
}

function toWorkflowRun(answer: Answer): WorkflowRun {
  return {
    id: Number(answer.id),
    commit: answer.head_sha,
    status: answer.status ?? 'queued',
    conclusion: answer.conclusion,
    attempt: answer.run_attempt ?? 1,
    name: answer.display_title,
    created_at: answer.created_at,
    updated_at: answer.updated_at,
    url: answer.html_url,
  };
}
