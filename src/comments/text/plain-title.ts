import { cleanLine, cutText } from './clean-text.ts';
import { withoutSkipCi } from './skip-ci.ts';

/** GitHub's limit for the title of a pull request. */
const MOST_CHARS = 256;
/** An invisible character after a sign such as `@`, so that GitHub does not read the sign as a mention or reference. */
const APART = '\u2060';

/**
 * Active text in commit messages and titles, which are not markdown: mentions, and references, which close issues after a
 * keyword.
 */
const ACTIVE =
  /[@＠](?=[\p{L}\p{N}])|[#＃](?=\d)|(?<![\p{L}\p{N}])GH-(?=\d)|\/(?:issues|pull|discussions)\/(?=\d)/giu;

/** The title of an issue, which anybody may have written, as the subject of a commit and the title of a pull request. */
export function plainTitle(title: string): string {
  const apart = withoutSkipCi(cleanLine(title, MOST_CHARS).replace(ACTIVE, `$&${APART}`));
  return cutText(apart, MOST_CHARS);
}
