import { cleanLine } from '../../comments/text/clean-text.ts';
import { code } from '../../comments/text/harmless.ts';
import type { Outgoing, Reply } from '../../core/contracts/effect.ts';
import type { GitHubError } from '../../core/ports/github-port.ts';
import type { RunTarget } from '../../core/ports/run-target.ts';
import { mergeYourself } from '../revise/read-update.ts';
import { HOW_TO_RETRY, type WayOut } from '../unpublished.ts';
import { REFUSALS, type Refusal } from './refusal-words.ts';

const SAID_CHARS = 300;
const MOST_FILES = 5;

/** Who lacks a permission, and how people grant or check it. */
export interface Access {
  holder: string;
  grant: string;
  /** Where they do. */
  page?: string;
  check: string;
  /** True where nobody can give the permission for workflow files. */
  isWithoutWorkflows: boolean;
}

type Workflow = 'there' | 'missing' | 'disabled';

/** Whether people are told, on the issue, that GitHub refuses this. A reply there would be refused like the one before. */
export function isTold(effect: Outgoing): boolean {
  return REFUSALS[effect.type] !== null && (effect.type !== 'reply' || effect.on !== undefined);
}

interface Refused {
  effect: Outgoing;
  said: string;
  access: Access;
  /** How people get the work onto GitHub after all. */
  way: WayOut;
  compareAt: string;
  /** The branch that is merged into the pull request by what was refused. */
  merged?: string;
}

/** Describes an effect that GitHub refused. The effect is retried without a command once the permission is granted. */
export function describeRefusal(
  { missingPermission, status, files }: GitHubError,
  { effect, said, access, way, compareAt, merged }: Refused,
): Reply {
  const refusal: Refusal | null = REFUSALS[effect.type];
  const { what, remedy = '' } = refusal ?? { what: 'Something could not be written here' };
  if (missingPermission === WORKFLOWS && access.isWithoutWorkflows)
    return {
      tone: 'refused',
      title: `${what}: GitHub does not let Actions commit files below \`.github/workflows\`.`,
      detail: merged === undefined ? `To publish the rest, ${withoutWorkflows(way)}.` : mergeYourself(merged),
    };
  if (missingPermission) {
    return {
      tone: 'refused',
      title: `${what}: ${lacks(missingPermission, access)}.`,
      detail: [
        ...neededFor(files),
        `${grantBelow(access)}.${ifNotListed(missingPermission)} It is retried automatically.${otherwise(missingPermission, way, merged)}`,
      ].join('\n'),
      ...linkTo(access),
    };
  }
  if (effect.type === 'publish' && PUSH_PROTECTION.test(said)) return describeFoundSecret(said, way);
  if (effect.type === 'publish' && NO_PULL_REQUESTS.test(said)) return describeNoPullRequests(compareAt);
  const fix = effect.type === 'publish' ? howToFixPublishing(status, way) : remedy;
  return {
    tone: 'refused',
    title: `${what}: GitHub ${verbOf(status)} it.`,
    detail: `${quote(said)}\n${fix}`.trimEnd(),
  };
}

function verbOf(status: number): string {
  return status === 403 ? 'refused' : 'rejected';
}

function quote(said: string): string {
  return said.startsWith('GitHub did not answer')
    ? 'GitHub did not answer.'
    : `GitHub says: ${sentence(said)}`;
}

const EXEMPT = 'If a rule of this repository protects the branch, exempt the App from it for `autobuild/**`';

/** CI starts by a commit without the mark, which GitHub does not take. The box is empty again. */
export function describeRefusedCi(error: GitHubError, said: string, access: Access): Reply {
  const { missingPermission, status } = error;
  if (missingPermission)
    return {
      tone: 'refused',
      title: `CI was not started: ${lacks(missingPermission, access)}.`,
      detail: `${grantBelow(access)}, then tick the box again.`,
      ...linkTo(access),
    };
  return {
    tone: 'refused',
    title: `CI was not started: GitHub ${verbOf(status)} the commit that starts it.`,
    detail: `${quote(said)}\n${EXEMPT}, then tick the box again. Or push a commit of your own: CI runs on it.`,
  };
}

/** The reason why no round was started, and what to do. */
export function describeRefusedRound(
  error: GitHubError,
  said: string,
  access: Access,
): { reason: string; detail: string } {
  const { missingPermission, status } = error;
  if (missingPermission)
    return { reason: `${lacks(missingPermission, access)}.`, detail: `${access.grant}, then ask again.` };
  return {
    reason: `GitHub ${verbOf(status)} a request that the round needs.`,
    detail: `${quote(said)}\nAsk again later.`,
  };
}

function neededFor(files: readonly string[]): string[] {
  if (files.length === 0) return [];
  const named = files.slice(0, MOST_FILES).map((path) => code(path, 100));
  const more = files.length > MOST_FILES ? ` and ${files.length - MOST_FILES} more` : '';
  return [`It is needed for ${named.join(', ')}${more}.`];
}

/** The manifest does not ask for this permission, so no installation can grant it before the App's owner has added it. */
function ifNotListed(permission: string): string {
  if (permission !== WORKFLOWS) return '';
  return ' If it is not listed there, the owner of the App adds it first, in the settings of the App under Permissions & events.';
}

/** Above a link to the page. */
function grantBelow({ grant, page }: Access): string {
  return page === undefined ? grant : 'Grant it on the page below';
}

function linkTo({ page }: Access): Pick<Reply, 'link'> {
  return page === undefined ? {} : { link: { text: 'Permissions of the App', url: page } };
}

/** In the words of both responses: `Secret detected in content`, `Push cannot contain secrets`. */
const PUSH_PROTECTION = /secret detected|contain secrets?|push protection/i;

function describeFoundSecret(said: string, way: WayOut): Reply {
  const allow = 'allow it under Security → Secret scanning';
  const guide = `Tell the agent with \`/guide\` to remove it, or ${allow}`;
  const remedies: Record<WayOut, string> = {
    turn: `${guide}. ${HOW_TO_RETRY.turn}`,
    round: `${guide} and reply \`/continue\`.`,
    update: `Remove the secret from one of the two branches, or ${allow}. ${HOW_TO_RETRY.update}`,
    label: `Remove the secret from the files that the run starts from, or ${allow}. ${HOW_TO_RETRY.label}`,
  };
  return {
    tone: 'refused',
    title: `${REFUSALS.publish.what}: GitHub’s push protection found a secret in it.`,
    detail: `GitHub says: ${sentence(said)}\n${remedies[way]}`,
  };
}

const NO_PULL_REQUESTS = /not permitted to create (?:or approve )?pull requests/i;

/** The branch is there already, so a person can do the rest. */
function describeNoPullRequests(compareAt: string): Reply {
  return {
    tone: 'refused',
    title: 'The work is pushed, but this repository does not let GitHub Actions open pull requests.',
    detail:
      'Open it yourself with the link below. Or turn on "Allow GitHub Actions to create and approve pull requests" under Settings → Actions → General → Workflow permissions, then comment `/status` and Autobuild opens it.',
    link: { text: 'Open the pull request', url: compareAt },
  };
}

function howToFixPublishing(status: number, way: WayOut): string {
  const first = status < 500 ? 'If a repository rule or setting blocks this, change it. ' : '';
  return `${first}${HOW_TO_RETRY[way]}`;
}

const WORKFLOWS = 'workflows=write';
const WORKFLOW_FILES = 'the files below `.github/workflows`';
const IF_NONE =
  'if the work changes none of them, the default branch has changed them since the run began, and a new run starts from there';

/** How the work is published without workflow files. */
function withoutWorkflows(way: WayOut): string {
  const guide = `tell the agent with \`/guide\` to remove ${WORKFLOW_FILES} from the work`;
  if (way === 'round') return guide;
  if (way === 'turn') return `${guide}; ${IF_NONE}`;
  return `say in the issue that ${WORKFLOW_FILES} stay as they are, then remove and re-add the label; ${IF_NONE}`;
}

/** Offers a way without the `workflows` permission, because few Apps are granted it. */
function otherwise(permission: string, way: WayOut, merged: string | undefined): string {
  if (permission !== WORKFLOWS) return '';
  // An update has what both sides have, and nobody can leave a file out of it.
  if (merged !== undefined) return ` Or do it without: ${mergeYourself(merged)}`;
  return ` Or ${withoutWorkflows(way)}.`;
}

export function describeRefusedDispatch(
  error: GitHubError,
  target: RunTarget,
  access: Access,
  { workflow, verifying }: { workflow: Workflow; verifying: boolean },
): Reply {
  const { why, fix } = reasonFor(error, target, access, workflow);
  return {
    tone: 'refused',
    title: `${REFUSALS[verifying ? 'dispatch_verification' : 'dispatch_job'].what}: ${why}.`,
    detail: verifying
      ? `${fix}. Until then results are delivered without a check on a clean checkout.`
      : `${fix}, then reply \`/continue\`.`,
  };
}

function reasonFor(
  error: GitHubError,
  target: RunTarget,
  access: Access,
  workflow: Workflow,
): { why: string; fix: string } {
  const file = `\`.github/workflows/${target.workflow}\``;
  if (error.missingPermission) {
    return { why: lacks(error.missingPermission, access), fix: access.grant };
  }
  if (workflow === 'missing') {
    return {
      why: `${file} is not on \`${target.default_branch}\``,
      fix: 'Commit it again (`autobuild init` writes it)',
    };
  }
  if (workflow === 'disabled') {
    return {
      why: 'the workflow, or GitHub Actions for this repository, is disabled',
      fix: 'Enable it in the Actions tab or in the repository settings',
    };
  }
  if (error.status === 422 && error.message.includes('Unexpected inputs'))
    return {
      why: `${file} does not accept the inputs that the App sends`,
      fix: `${sentence(error.message)} Write the file again with \`autobuild init --app --force\` and commit it`,
    };
  if (error.status === 422)
    return { why: 'GitHub rejected it', fix: `${sentence(error.message)} Fix ${file}` };
  return {
    why: 'GitHub refused it',
    fix: `${sentence(error.message)} ${access.check}`,
  };
}

/**
 * Alternatives are separated by `;` (`issues=write; pull_requests=write`), permissions that are all needed by `,`
 * (`a=write,b=read`).
 */
function lacks(permission: string, { holder }: Access): string {
  const names = permission
    .split(';')
    .map((set) =>
      set
        .split(',')
        .map((one) => `\`${one.trim().replace('=', ': ')}\``)
        .join(' and '),
    )
    .join(' or ');
  return `${holder} lacks ${names}`;
}

function sentence(message: string): string {
  // Removes the request, which does not help people, and the link to the documentation that Octokit appends.
  const words = message
    .replace(/^GitHub answered .{1,200}? with \d{3}: /, '')
    .replace(/ - https?:\/\/\S+$/, '');
  return `${cleanLine(words, SAID_CHARS).replace(/\.$/, '')}.`;
}
