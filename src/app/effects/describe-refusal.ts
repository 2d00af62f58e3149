import type { Effect, Reply } from '../../core/effect.ts';
import type { GitHubError } from '../../core/github-port.ts';
import type { Place } from '../../core/hosted-ports.ts';

const SAID_CHARS = 300;

type Workflow = 'there' | 'missing' | 'disabled';

const WHAT: Partial<Record<Effect['type'], string>> = {
  publish: 'The work cannot be committed',
  stop_job: 'The job cannot be cancelled',
  stop_verification: 'The job that verifies cannot be cancelled',
};

/** Something the App may not do. It is done by itself once the permission is there. */
export function describeRefusal(error: GitHubError, type: Effect['type'], grantAt: string): Reply {
  const { missingPermission } = error;
  const what = WHAT[type] ?? 'Something could not be written here';
  return {
    tone: 'refused',
    title: missingPermission ? `${what}: ${lacks(missingPermission)}.` : `${what}: GitHub refuses it.`,
    detail: missingPermission
      ? `Grant it at ${grantAt}; then it is done by itself.${otherwise(missingPermission)}`
      : said(error),
  };
}

/** Few Apps are given this one. */
function otherwise(permission: string): string {
  if (permission !== 'workflows=write') return '';
  return ' Or have the files below `.github/workflows` taken out of the work.';
}

export function describeRefusedDispatch(
  error: GitHubError,
  place: Place,
  grantAt: string,
  { workflow, verifying }: { workflow: Workflow; verifying: boolean },
): Reply {
  const { why, mend } = reasonFor(error, place, grantAt, workflow);
  return {
    tone: 'refused',
    title: `${verifying ? 'The job that verifies' : 'The job'} cannot be started: ${why}.`,
    detail: verifying
      ? `${mend}. Until then results are handed over without a fresh check.`
      : `${mend}, then reply \`/continue\`.`,
  };
}

function reasonFor(
  error: GitHubError,
  place: Place,
  grantAt: string,
  workflow: Workflow,
): { why: string; mend: string } {
  const file = `\`.github/workflows/${place.workflow}\``;
  if (error.missingPermission) {
    return { why: lacks(error.missingPermission), mend: `Grant it at ${grantAt}` };
  }
  if (workflow === 'missing') {
    return {
      why: `${file} is not on \`${place.default_branch}\``,
      mend: 'Commit it again (`autobuild init` writes it)',
    };
  }
  if (workflow === 'disabled') {
    return {
      why: 'the workflow, or GitHub Actions for this repository, is switched off',
      mend: 'Switch it on in the Actions tab or in the repository settings',
    };
  }
  if (error.status === 422) return { why: 'GitHub does not take it', mend: `${said(error)} Mend ${file}` };
  return {
    why: 'GitHub refuses it',
    mend: `${said(error)} Look at the App’s permissions (\`actions: write\`) at ${grantAt}`,
  };
}

/** `issues=write; pull_requests=write`: one of them is enough. `a=write,b=read`: both are needed. */
function lacks(permission: string): string {
  const names = permission
    .split(';')
    .map((set) =>
      set
        .split(',')
        .map((one) => `\`${one.trim().replace('=', ': ')}\``)
        .join(' and '),
    )
    .join(' or ');
  return `the App lacks ${names}`;
}

function said({ message }: GitHubError): string {
  // Octokit adds where it is documented.
  return `${message.replace(/ - https?:\/\/\S+$/, '').slice(0, SAID_CHARS)}.`;
}
