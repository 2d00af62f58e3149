import { CONFIG_PATH, WORKFLOW_PATH } from '../../core/config-path.ts';
import { quoteWord } from '../package/quote-word.ts';
import type { Blueprint } from './blueprint.ts';
import { describeVersions } from './describe-versions.ts';
import { repositoryForGh } from './gh.ts';
import type { LeftToPush } from './left-to-push.ts';
import { isKnownAsGitHub, type Remote } from './remote.ts';

interface Outcome {
  blueprint: Blueprint;
  /** The way from the shell to the top of the repository. Empty at the top. */
  way: string;
  remote?: Remote;
  elsewhere?: Remote;
  /** The branch that is checked out, if it is not the default one. */
  otherBranch?: string;
  /** The files to commit and push. Nothing of them if a pull request has them. */
  left: LeftToPush;
  /** True when a pull request has the files. */
  isProposed: boolean;
  /** True when the secret that seals the state is there. */
  hasStateKey: boolean;
}

/** Describes the findings and choices, and the commands that are left to a person, each ready to be pasted. */
export function describeOutcome({ blueprint, ...outcome }: Outcome): string[] {
  const { setUp, agent, action, app } = blueprint;
  const version = agent.version ? ` ${agent.version}` : '';
  return [
    `Set-up: ${setUp.languages.join('; ') || 'nothing found'}`,
    `Checks: ${setUp.checks.join(', ') || 'none found'}`,
    `Agent: ${agent.name}${version}${agent.key ? `, with the key ${agent.key}` : ''}`,
    `Action: ${action}, which gets your secrets: use one you trust (--action)`,
    ...describeGaps(blueprint).map((gap) => `! ${gap}`),
    ...setUp.notes.map((note) => `! ${note}`),
    ...describeRemote(outcome).map((note) => `! ${note}`),
    '',
    'Left to do:',
    ...listCommands(blueprint, outcome).map((command) => `  ${command}`),
    app
      ? `Then install the App of ${app.desk} on the repository, and label an issue \`autobuild\`.`
      : 'Then label an issue `autobuild`.',
  ];
}

/** Autobuild runs in GitHub Actions, so the repository has to be there. */
function describeRemote({ remote, elsewhere }: Pick<Outcome, 'remote' | 'elsewhere'>): string[] {
  if (elsewhere)
    return [
      `The remote ${elsewhere.name} is on ${elsewhere.host}, and Autobuild works on GitHub only: add a remote there before the commands below.`,
    ];
  if (!remote) return ['No remote on GitHub was found: add it as origin before the commands below.'];
  return isKnownAsGitHub(remote)
    ? []
    : [`${remote.host} is taken for a GitHub Enterprise Server: Autobuild works on GitHub only.`];
}

/** Parts that a person has to fill in or decide before a run can end well. */
function describeGaps(blueprint: Blueprint): string[] {
  const { setUp, agent, action, app } = blueprint;
  return [
    ...(setUp.parts.length === 0
      ? [
          app
            ? `No language was recognised: fill in the set-up steps of both jobs in ${WORKFLOW_PATH}.`
            : `No language was recognised: fill in \`setup\` in ${WORKFLOW_PATH}.`,
        ]
      : []),
    ...(setUp.checks.length === 0
      ? [
          `No check was found: name the repository's own under \`verify\` in ${CONFIG_PATH}. Nothing starts before.`,
        ]
      : []),
    ...(agent.install || agent.version
      ? []
      : [
          app
            ? `${agent.name} is your own agent: add the step that installs it, and its key, to \`build\` in ${WORKFLOW_PATH}.`
            : `${agent.name} is your own agent: add the command that installs it as \`install\`, and its key as \`model_key\`, to ${WORKFLOW_PATH}.`,
        ]),
    ...describeVersions(blueprint),
    ...(/@[0-9a-f]{40}$/.test(action)
      ? []
      : [`${action} is no commit, so it may change: prefer --action OWNER/REPO@COMMIT.`]),
  ];
}

function listCommands(
  { agent, app }: Blueprint,
  {
    way,
    remote,
    otherBranch,
    left: { toCommit, push, isDetached },
    isProposed,
    hasStateKey,
  }: Omit<Outcome, 'blueprint'>,
): string[] {
  const git = way === '' ? 'git' : `git -C ${quoteWord(way)}`;
  const where = remote ? ` --repo ${repositoryForGh(remote)}` : '';
  return [
    ...(agent.key ? [`gh secret set ${agent.key}${where}`] : []),
    ...(app || hasStateKey
      ? []
      : [
          `openssl rand -base64 32 | gh secret set AUTOBUILD_KEY${where}    # encrypts the state of runs; agents never get it`,
        ]),
    ...(app ? [] : [allowPullRequests(remote)]),
    `gh label create autobuild${where}`,
    ...(toCommit.length > 0 ? [`${git} add ${toCommit.join(' ')}`, `${git} commit -m "Add Autobuild"`] : []),
    ...(push ? [`${git} ${push}    # ${describePush(otherBranch, isDetached)}`] : []),
    ...(isProposed ? ['merge the pull request'] : []),
    lookAgain(remote),
  ];
}

function describePush(otherBranch: string | undefined, isDetached = false): string {
  if (isDetached)
    return 'no branch is checked out: see that this names the default one, or use --pull-request';
  return otherBranch
    ? `${otherBranch} is not the default branch, where the files have to be: merge it, or use --pull-request`
    : 'to the default branch';
}

function lookAgain(remote: Remote | undefined): string {
  const host = remote && remote.host !== 'github.com' ? remote.host : undefined;
  const api = host ? `GITHUB_API_URL=https://${host}/api/v3 ` : '';
  const token = `GH_TOKEN=$(gh auth token${host ? ` --hostname ${host}` : ''})`;
  return `${api}${token} autobuild doctor --repo ${remote?.repository ?? 'OWNER/NAME'}`;
}

/** Without it a run ends with a link by which a person opens the pull request. */
function allowPullRequests(remote: Remote | undefined): string {
  const host = remote && remote.host !== 'github.com' ? ` --hostname ${remote.host}` : '';
  const path = `repos/${remote?.repository ?? 'OWNER/NAME'}/actions/permissions/workflow`;
  return `gh api${host} -X PUT ${path} -F can_approve_pull_request_reviews=true    # lets Actions open pull requests`;
}
