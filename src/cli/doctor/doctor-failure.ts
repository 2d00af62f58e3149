import type { GitHubError } from '../../core/ports/github-port.ts';
import { type Finding, problem } from './doctor-finding.ts';

interface Asked {
  check: string;
  repository: string;
  apiUrl: string;
  /** The name of the credentials that were used, such as `GITHUB_TOKEN`. */
  credentials: string;
}

export const TOKEN_RIGHTS =
  'A fine-grained token needs read access to Contents, Actions, Issues, Secrets and Administration of the repository; a classic one the scope `repo`.';

/** Explains a failed call and its remedy. GitHub's message is quoted only if we have no explanation. */
export function describeFailure(error: GitHubError, asked: Asked): Finding {
  const { check, repository, apiUrl, credentials } = asked;
  const { host } = new URL(apiUrl);
  if (error.retryAfter !== undefined && error.status < 500) {
    return problem(
      check,
      `${host} limits how often ${credentials} may ask, and the limit is reached.`,
      `Try again in ${error.retryAfter} s.`,
    );
  }
  if (error.status === 401)
    return problem(check, `${host} does not accept ${credentials}.`, remedyForRefused(credentials));
  if (error.status === 404) {
    return problem(
      check,
      `${repository} is not there, or ${credentials} may not see it.`,
      `Check the spelling. ${TOKEN_RIGHTS}`,
    );
  }
  if (error.status === 403)
    return problem(
      check,
      error.message,
      `Where an organisation asks for it, authorise the token for SSO. ${TOKEN_RIGHTS}`,
    );
  return problem(
    check,
    error.message,
    `Check the network and, if you set it, GITHUB_API_URL (asked: ${apiUrl}). Then try again.`,
  );
}

function remedyForRefused(credentials: string): string {
  return credentials === 'APP_ID and PRIVATE_KEY'
    ? "Take the App ID and a private key from the same App's settings page, and check this machine's clock."
    : `It may have expired or been revoked: make a new one. ${TOKEN_RIGHTS}`;
}
