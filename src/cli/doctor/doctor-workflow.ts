import { WORKFLOW_PATH } from '../../core/config-path.ts';
import { DispatchInputs } from '../../core/ports/dispatch.ts';
import type { WorkflowFile, WorkflowInput } from '../workflow-file.ts';
import { examineCalledWorkflow } from './doctor-called-workflow.ts';
import { type Finding, hint, ok, problem } from './doctor-finding.ts';

const ACTION = /^(?<action>[\w.-]+\/[\w.-]*autobuild[\w.-]*)(?:\/[^@]*)?@(?<ref>\S+)$/i;
const COMPARE = 'Compare the file with what `autobuild init` writes.';

/** The action's reference in the workflow, such as `autobuild/autobuild` and `v0.1.0`. */
interface ActionReference {
  action: string;
  ref: string;
}

export function findActionReferences({ uses }: Pick<WorkflowFile, 'uses'>): ActionReference[] {
  return uses.flatMap((text) => {
    const { action, ref } = ACTION.exec(text)?.groups ?? {};
    return action && ref ? [{ action, ref }] : [];
  });
}

function readReference(text: string): ActionReference[] {
  const [action = '', ref = ''] = text.split('@');
  return [{ action, ref }];
}

/** Compares the file with what the App and the action expect. */
export function examineWorkflow(workflow: WorkflowFile, version: string): Finding[] {
  if (workflow.call)
    return [...examineCalledWorkflow(workflow, workflow.call), examineAction(workflow, version)];
  return [examineInputs(workflow), ...examinePermissions(workflow), examineAction(workflow, version)];
}

function examineInputs({ inputs, runName, leaksTicket }: WorkflowFile): Finding {
  const wrong = inputs ? findWrongInputs(inputs) : ['it is not started by `workflow_dispatch`'];
  if (leaksTicket) wrong.push('a step is given the input `ticket`, which would be in the log');
  if (!/inputs\.operation\b/.test(runName)) wrong.push('`run-name` lacks the input `operation`');
  return wrong.length === 0
    ? ok('inputs', 'The inputs of the workflow are those the App gives.')
    : problem('inputs', `${WORKFLOW_PATH}: ${wrong.join('; ')}.`, COMPARE);
}

function findWrongInputs(inputs: Record<string, WorkflowInput>): string[] {
  const given = Object.keys(DispatchInputs.shape);
  const missing = given.filter((name) => !(name in inputs)).map((name) => `the input \`${name}\` is missing`);
  const mistaken = Object.entries(inputs).flatMap(([name, input]) => {
    if (!given.includes(name)) {
      return input.required && input.default === undefined
        ? [`the App does not give the input \`${name}\`, which is required`]
        : [];
    }
    const kinds = name === 'kind' ? DispatchInputs.shape.kind.options : [];
    if (input.type === 'choice' && kinds.length > 0) {
      const lacking = kinds.filter((kind) => !input.options.includes(kind));
      return lacking.length > 0 ? [`the input \`kind\` lacks the option ${lacking.join(' and ')}`] : [];
    }
    const fits = input.type === 'string' || (name === 'issue' && input.type === 'number');
    return fits ? [] : [`the input \`${name}\` is of type ${input.type}, the App gives a string`];
  });
  return [...missing, ...mistaken];
}

function examinePermissions({ permissions }: WorkflowFile): Finding[] {
  const wrong = permissions.filter(({ value }) => !isReadOnly(value));
  if (wrong.length === 0) return [ok('permissions', 'The job may read the repository and nothing else.')];
  return wrong.map(({ where, value }) =>
    problem(
      'permissions',
      value === undefined
        ? `${WORKFLOW_PATH} sets no permissions, so the agent's job may get a token that can write.`
        : `${WORKFLOW_PATH}: \`${where}\` is ${JSON.stringify(value)?.slice(0, 200)}.`,
      'Set `permissions: { contents: read }` at the top of the file, and none in the jobs.',
    ),
  );
}

function isReadOnly(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const given = Object.entries(value).filter(([, level]) => level !== 'none');
  return given.length === 1 && given[0]?.[0] === 'contents' && given[0][1] === 'read';
}

function examineAction({ uses, call }: WorkflowFile, version: string): Finding {
  const found = call ? readReference(call.action) : findActionReferences({ uses });
  const [first] = found;
  if (!first) {
    return problem(
      'action',
      `No step of ${WORKFLOW_PATH} runs the action.`,
      `${COMPARE} (\`uses: …/autobuild@v${version}\`)`,
    );
  }
  const names = [...new Set(found.map(({ action, ref }) => `${action}@${ref}`))];
  if (names.length > 1) {
    const message = `The jobs run different versions of the action: ${names.join(', ')}.`;
    return problem('action', message, 'Name one version in all of them.');
  }
  const { ref } = first;
  const [name = ''] = names;
  if (/^[0-9a-f]{40}$/.test(ref)) return ok('action', `The action is ${name}, pinned to a commit.`);
  if (!/^v\d/.test(ref)) {
    return hint(
      'action',
      `The action is ${name}: a branch, which may change under you.`,
      `Name a version, such as v${version}.`,
    );
  }
  const [major] = version.split('.');
  if (ref === `v${major}`) {
    return hint(
      'action',
      `The action is ${name}: a tag that moves with each release, so what gets the secrets may change under you.`,
      `Name the commit of v${version}, with the version behind it as a comment: \`autobuild init\` writes it.`,
    );
  }
  if (ref === `v${version}`) return ok('action', `The action is ${name}.`);
  return hint(
    'action',
    `The action is ${name}; this doctor is of version ${version}.`,
    call ? 'Use the same version of both.' : 'Use the same version as the App.',
  );
}
