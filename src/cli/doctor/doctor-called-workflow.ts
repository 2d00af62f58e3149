import { WORKFLOW_PATH } from '../../core/config-path.ts';
import type { CalledWorkflow, WorkflowFile } from '../workflow-file.ts';
import { type Finding, hint, ok, problem } from './doctor-finding.ts';

const COMPARE = 'Compare the file with what `autobuild init` writes.';
/** The desk's job writes with the token of the caller, which can only be narrowed by the workflow that is called. */
const PERMISSIONS = {
  contents: 'write',
  issues: 'write',
  'pull-requests': 'write',
  actions: 'write',
  checks: 'write',
  statuses: 'read',
};
const EVENTS = ['issues', 'issue_comment', 'pull_request_target', 'workflow_dispatch'];
const INPUTS = ['issue', 'operation'];

/** Examines the workflow of a repository without a server: what its call of ours needs. */
export function examineCalledWorkflow(
  { events, inputs = {} }: WorkflowFile,
  { permissions, secrets }: CalledWorkflow,
): Finding[] {
  const lacking = EVENTS.filter((event) => !events.includes(event));
  const unknown = INPUTS.filter((name) => !(name in inputs));
  const given = (permissions ?? {}) as Record<string, unknown>;
  const denied = Object.entries(PERMISSIONS).filter(
    ([name, level]) => permissions !== 'write-all' && given[name] !== level && given[name] !== 'write',
  );
  return [
    lacking.length === 0
      ? ok('events', 'The workflow hears of issues, comments and pull requests.')
      : problem('events', `${WORKFLOW_PATH} is not started by ${lacking.join(', ')}.`, COMPARE),
    unknown.length === 0
      ? ok('inputs', 'The workflow can start its own later rounds.')
      : problem(
          'inputs',
          `${WORKFLOW_PATH}: \`workflow_dispatch\` lacks the input ${unknown.join(' and ')}.`,
          COMPARE,
        ),
    denied.length === 0
      ? ok('permissions', 'The desk may write what it has to, and the agent may only read.')
      : problem(
          'permissions',
          `${WORKFLOW_PATH} does not grant ${denied.map(([name, level]) => `${name}: ${level}`).join(', ')}.`,
          'Grant it in the job that calls the workflow: only its jobs `desk` and `deliver` get it.',
        ),
    ...('model_key' in secrets
      ? []
      : [
          problem(
            'secrets',
            `${WORKFLOW_PATH} passes no \`model_key\`.`,
            'Pass the key of the model under `secrets`.',
          ),
        ]),
    ...('state_key' in secrets
      ? []
      : [
          hint(
            'secrets',
            "No `state_key` is passed, so the model's key encrypts the state, and an agent could read it.",
            'Set one, and pass it: openssl rand -base64 32 | gh secret set AUTOBUILD_KEY',
          ),
        ]),
  ];
}
