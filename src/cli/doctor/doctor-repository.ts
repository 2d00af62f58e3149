import { AGENTS, agentNamed } from '../../agents/registry.ts';
import { describeProblem } from '../../config/config-problem.ts';
import { type Config, defaultConfig, type ReadConfig, readConfig } from '../../config/read-config.ts';
import { CONFIG_PATH, WORKFLOW_FILE, WORKFLOW_PATH } from '../../core/config-path.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import type { ActionsPolicy, RepositorySetUp } from '../../github/set-up/repository-set-up.ts';
import { type CalledWorkflow, readWorkflowFile, type WorkflowFile } from '../workflow-file.ts';
import { examineAgentStep } from './doctor-agent-step.ts';
import { examineEnvironments } from './doctor-environments.ts';
import { type Finding, hint, ok, problem, unknown } from './doctor-finding.ts';
import { examineJobTime } from './doctor-job-time.ts';
import { examinePinnedDesk } from './doctor-pinned-desk.ts';
import { examinePins, findUnpinned } from './doctor-pins.ts';
import { examinePullRequests } from './doctor-pull-requests.ts';
import { examineRulesets } from './doctor-rulesets.ts';
import { examineRunners } from './doctor-runners.ts';
import { examineSetUp } from './doctor-set-up.ts';
import { examineSquash } from './doctor-squash.ts';
import { examineWorkflow } from './doctor-workflow.ts';

const BRANCH = 'autobuild/issue-1';
/** Rules that can block the App from creating its branch or from force-pushing to it. */
const HINDERING_RULES = [
  'creation',
  'update',
  'non_fast_forward',
  'pull_request',
  'required_status_checks',
  'required_deployments',
  'merge_queue',
  'branch_name_pattern',
  'commit_message_pattern',
  'commit_author_email_pattern',
  'committer_email_pattern',
];

interface RepositoryQuestion {
  name: string;
  label: string;
  /** The version of this Autobuild. */
  version: string;
}

type Eyes = Pick<GitHub, 'file' | 'workflow' | 'secretExists'> & RepositorySetUp;

/** Examines everything a run needs from the repository, read the way the App reads it. */
export async function* examineRepository(eyes: Eyes, asked: RepositoryQuestion): AsyncGenerator<Finding> {
  const repository = await eyes.repository();
  const branch = repository.default_branch;
  yield ok('repository', `${repository.full_name} can be read; its default branch is ${branch}.`);
  if (repository.full_name.toLowerCase() !== asked.name.toLowerCase())
    yield hint('repository', `${asked.name} was renamed to ${repository.full_name}.`, 'Use the new name.');
  if (repository.archived)
    yield problem(
      'repository',
      'The repository is archived: nothing can be written.',
      'Unarchive it in its settings.',
    );
  if (!repository.has_issues)
    yield problem('repository', 'Issues are disabled.', 'Switch them on in the settings, under General.');

  const text = await eyes.file(CONFIG_PATH, branch);
  const read = readConfig(text ?? '');
  const file = await eyes.file(WORKFLOW_PATH, branch);
  const workflow = file === undefined ? undefined : readWorkflowFile(file);
  const call = workflow?.ok ? workflow.workflow.call : undefined;
  yield* describeConfig(read, branch, text !== undefined, call);
  const settings = read.ok ? read.config : defaultConfig();
  const config = { ...settings, agent: settings.agent ?? call?.agent };

  if (!workflow) {
    const remedy = 'Let `autobuild init` write it, and commit both files there.';
    yield problem('workflow', `${WORKFLOW_PATH} is not on ${branch}.`, remedy);
  } else if (!workflow.ok) {
    yield problem('workflow', `${WORKFLOW_PATH} cannot be used: ${workflow.problem}.`, 'Fix the file.');
  } else yield ok('workflow', `${WORKFLOW_PATH} is on ${branch}.`);
  const usable = workflow?.ok ? workflow.workflow : undefined;
  yield* describeActions(await eyes.actionsPolicy(), usable && (await eyes.workflow(WORKFLOW_FILE)), usable);
  if (usable) {
    yield* examineWorkflow(usable, asked.version);
    yield* examinePins(usable);
    // The rest is in the workflow that is called.
    if (call) {
      yield await examinePullRequests(eyes, repository.full_name);
      yield ok('app', 'No App and no server is needed: everything runs in GitHub Actions.');
    } else {
      yield* examinePinnedDesk(usable);
      yield* examineSetUp(usable);
      yield* examineAgentStep(usable, config);
      yield* examineRunners(usable);
      yield* examineJobTime(usable);
      yield* examineEnvironments(eyes, usable);
    }
    yield* examineSecrets(eyes, usable, config);
  }
  yield* examineLabel(eyes, call?.label ?? asked.label);
  yield* examineRules(eyes, call !== undefined);
  yield* examineRulesets(eyes);
  // Without a server GitHub itself holds CI back, so no message does.
  if (!call) yield* examineSquash(repository, config);
}

function* describeConfig(
  read: ReadConfig,
  branch: string,
  isThere: boolean,
  call: CalledWorkflow | undefined,
): Generator<Finding> {
  const check = 'config';
  if (!read.ok) {
    for (const mistake of read.problems)
      yield problem(check, `${CONFIG_PATH}: ${describeProblem(mistake)}`, `Edit the file on ${branch}.`);
    return;
  }
  const { agents, verify } = read.config;
  const agent = read.config.agent ?? call?.agent;
  if (!isThere)
    yield hint(
      check,
      `${CONFIG_PATH} is not on ${branch}: the defaults hold.`,
      'Let `autobuild init` write it.',
    );
  else yield ok(check, `${CONFIG_PATH} is valid.`);
  if (!verify && call?.hasChecks) yield ok(check, `The checks are those that ${WORKFLOW_PATH} names.`);
  else if (!verify) {
    const remedy = `Add for example \`verify: ["npm test"]\` to ${CONFIG_PATH}.`;
    yield problem(check, 'No check is named, so nothing could say that a task is complete.', remedy);
  }
  if (agent && !agents[agent] && !agentNamed(agent)) {
    const remedy = `Add it under \`agents:\`, or name one of ${Object.keys(AGENTS).join(', ')}.`;
    const file = read.config.agent ? CONFIG_PATH : WORKFLOW_PATH;
    yield problem(check, `${file}: there is no agent ${agent}.`, remedy);
  }
}

function* describeActions(
  policy: ActionsPolicy | undefined,
  state: 'there' | 'missing' | 'disabled' | undefined,
  workflow: WorkflowFile | undefined,
): Generator<Finding> {
  const check = 'actions';
  const settings = 'in the settings, under Actions → General';
  if (policy && !policy.enabled) {
    yield problem(check, 'Actions is disabled for the repository.', `Switch them on ${settings}.`);
    return;
  }
  if (state === 'disabled') {
    yield problem(
      check,
      `The workflow ${WORKFLOW_PATH} is disabled.`,
      `Enable it: gh workflow enable ${WORKFLOW_FILE}`,
    );
    return;
  }
  if (!policy) {
    const remedy = 'Look with a token of an admin.';
    yield unknown(check, 'Which actions the repository may use cannot be seen.', remedy);
    return;
  }
  const [loose] = findUnpinned(workflow?.uses ?? []);
  if (policy.allowed === 'local_only')
    yield problem(
      check,
      'The repository may use no actions of others.',
      `Allow those of the workflow ${settings}.`,
    );
  else if (policy.mustPinCommits && loose) {
    const message = `Actions must be pinned to a commit, and ${loose} is not.`;
    yield problem(check, message, 'Name its commit behind the @ in the workflow.');
  } else if (policy.allowed === 'selected')
    yield hint(
      check,
      'The repository may use some actions only.',
      `See that those of the workflow are among them ${settings}.`,
    );
  else yield ok(check, 'Actions are switched on.');
}

async function* examineSecrets(eyes: Eyes, workflow: WorkflowFile, config: Config): AsyncGenerator<Finding> {
  const check = 'secrets';
  const own = config.agents[config.agent ?? ''] ? undefined : agentNamed(config.agent ?? 'claude');
  const keys = own?.keys ?? [];
  if (own && keys.length > 0 && !keys.some((key) => workflow.secrets.includes(key))) {
    const remedy = workflow.call
      ? `Pass one of ${keys.join(', ')} as \`model_key\` in ${WORKFLOW_PATH}.`
      : `Give ${keys.join(' or ')} to the action's step in ${WORKFLOW_PATH}, by \`env\`.`;
    yield hint(check, `The workflow names no key for ${own.name}.`, remedy);
  }
  let shared: string[] | undefined | 'not asked' = 'not asked';
  for (const name of workflow.secrets) {
    let present = await eyes.secretExists(name);
    if (present === false) {
      if (shared === 'not asked') shared = await eyes.organizationSecrets();
      if (shared?.includes(name)) present = true;
    }
    yield describeSecret(name, present, { ...workflow, isOptional: OPTIONAL_SECRETS.has(name) });
  }
}

/** Secrets that `init` names from the start, so that only the value has to be set when it is needed. */
const OPTIONAL_SECRETS = new Set(['AUTOBUILD_KEY', 'AUTOBUILD_ENV']);

function describeSecret(
  name: string,
  present: boolean | undefined,
  { hasEnvironment, isOptional }: { hasEnvironment: boolean; isOptional: boolean },
): Finding {
  const check = 'secrets';
  if (present) return ok(check, `The secret ${name} is there.`);
  if (present === undefined) {
    const remedy = 'Look with a token that may read Secrets.';
    return unknown(check, `Whether the secret ${name} is there cannot be seen.`, remedy);
  }
  const remedy = `Set it: gh secret set ${name}`;
  if (name === 'AUTOBUILD_ENV')
    return ok(check, 'The secret AUTOBUILD_ENV is not set: no agent has asked for values yet.');
  if (isOptional)
    return hint(
      check,
      `The secret ${name} is not set, so the model's key encrypts the state, and an agent could read it.`,
      `Set it: openssl rand -base64 32 | gh secret set ${name}`,
    );
  return hasEnvironment
    ? hint(check, `The secret ${name} is not the repository's; it may be an environment's.`, remedy)
    : problem(check, `The workflow names the secret ${name}, which is not there.`, remedy);
}

async function* examineLabel(eyes: Eyes, label: string): AsyncGenerator<Finding> {
  const present = await eyes.hasLabel(label);
  if (present) yield ok('label', `The label ${label} is there.`);
  else if (present === false) {
    const remedy = `Make it: gh label create ${label}`;
    yield hint('label', `There is no label ${label} yet, so nobody can choose it.`, remedy);
  } else yield unknown('label', 'The labels cannot be seen.', 'Look with a token that may read Issues.');
}

async function* examineRules(eyes: Eyes, isWithoutServer: boolean): AsyncGenerator<Finding> {
  const check = 'rules';
  const rules = await eyes.branchRules(BRANCH);
  const hindering = rules?.filter((type) => HINDERING_RULES.includes(type)) ?? [];
  if (!rules)
    yield unknown(
      check,
      'The rules for branches cannot be seen.',
      'Look with a token that may read the repository.',
    );
  else if (hindering.length === 0) yield ok(check, 'No ruleset hinders branches below autobuild/.');
  else {
    const message = `Rules hold for branches such as ${BRANCH}: ${hindering.join(', ')}.`;
    const remedy = 'Leave autobuild/** out of the ruleset';
    yield hint(check, message, isWithoutServer ? `${remedy}.` : `${remedy}, or let the App bypass it.`);
  }
}
