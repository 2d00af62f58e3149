import type { Json } from '../github/gap.ts';
import type { WorkflowRun } from './job.ts';

interface Place {
  owner: string;
  name: string;
  /** The address of the local GitHub. */
  url: string;
}

/** The `github` context of a run, without the token, which each job has its own of. */
export function githubContext(run: WorkflowRun, { owner, name, url }: Place): Json {
  const { pull_request: pull, repository } = run.payload as {
    repository?: { id: number };
    pull_request?: { number: number; head: { ref: string }; base: { ref: string } };
  };
  const ref =
    pull && run.event !== 'pull_request_target' && run.event.startsWith('pull_request')
      ? `refs/pull/${pull.number}/merge`
      : `refs/heads/${run.branch}`;
  return {
    actor: run.actor,
    api_url: `${url}/api/v3`,
    base_ref: pull?.base.ref ?? '',
    event: run.payload,
    event_name: run.event,
    graphql_url: `${url}/api/graphql`,
    head_ref: pull?.head.ref ?? '',
    ref,
    ref_name: ref.replace(/^refs\/(?:heads|pull)\//, ''),
    ref_type: 'branch',
    repository: `${owner}/${name}`,
    repository_id: String(repository?.id ?? ''),
    repository_owner: owner,
    run_attempt: String(run.attempt),
    run_id: String(run.id),
    server_url: url,
    sha: run.sha,
    triggering_actor: run.actor,
    workflow: run.workflow.name,
    workflow_ref: `${owner}/${name}/.github/workflows/${run.workflow.file}@${ref}`,
    workflow_sha: run.sha,
  };
}
