import { type GitHub, GitHubError } from '../core/ports/github-port.ts';
import { type Client, isStatus, orUndefined } from './client/client.ts';

type Methods = Pick<GitHub, 'dispatchWorkflow' | 'workflow'>;

const MAX_INPUTS = 25;
const MAX_INPUT_CHARS = 65_535;

export function createDispatchMethods({ request }: Client): Methods {
  const dispatch = (workflow: string, ref: string, inputs: Record<string, string>, details: boolean) =>
    request('POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches', {
      workflow_id: workflow,
      ref,
      inputs,
      ...(details && { return_run_details: true }),
    });

  return {
    async dispatchWorkflow(workflow, ref, inputs) {
      refuseLargeInputs(workflow, inputs);
      const { data } = await dispatch(workflow, ref, inputs, true).catch((error: unknown) => {
        // The server does not support the field. A 422 means that nothing was started.
        if (!isStatus(error, 422) || !error.message.includes('return_run_details')) throw error;
        return dispatch(workflow, ref, inputs, false);
      });
      return { run_id: (data as { workflow_run_id?: number } | undefined)?.workflow_run_id };
    },

    async workflow(file) {
      const answer = await orUndefined(
        request('GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}', { workflow_id: file }),
      );
      if (answer) return readState(answer.data.state);
      // If Actions are disabled, the file exists but the workflow does not.
      const path = `.github/workflows/${file}`;
      return (await orUndefined(request('GET /repos/{owner}/{repo}/contents/{path}', { path })))
        ? 'disabled'
        : 'missing';
    },
  };
}

function readState(state: string): 'there' | 'missing' | 'disabled' {
  if (state === 'active') return 'there';
  return state === 'deleted' ? 'missing' : 'disabled';
}

function refuseLargeInputs(workflow: string, inputs: Record<string, string>): void {
  const count = Object.keys(inputs).length;
  const chars = JSON.stringify(inputs).length;
  if (count <= MAX_INPUTS && chars <= MAX_INPUT_CHARS) return;
  throw new GitHubError(
    `${workflow} was not dispatched: ${count} inputs with ${chars} characters, GitHub takes ${MAX_INPUTS} with ${MAX_INPUT_CHARS}.`,
    { status: 422 },
  );
}
