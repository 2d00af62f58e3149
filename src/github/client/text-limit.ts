import { GitHubError } from '../../core/ports/github-port.ts';

/** GitHub's limit counts characters. A text never has fewer UTF-16 units, so comparing its length is safe. */
const MAX_BODY_CHARS = 65_536;

export function refuseLongText(what: string, text: string, limit = MAX_BODY_CHARS): void {
  if (text.length <= limit) return;
  throw new GitHubError(
    `${what} has ${text.length} characters; GitHub takes ${limit}. It was not sent: shorten it.`,
    { status: 422 },
  );
}
