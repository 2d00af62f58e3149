import { cleanLine, cutText } from './clean-text.ts';

/** GitHub's limit for the title of a pull request. */
const MOST_CHARS = 256;
/** An invisible character after a sign such as `@`, so that GitHub does not read the sign as a mention or reference. */
const APART = '\u2060';

/**
 * Active text in commit messages and titles, which are not markdown: mentions, references (which close issues after a keyword)
 * and instructions to the repository's CI.
 */
const ACTIVE =
  /[@＠](?=[\p{L}\p{N}])|[#＃](?=\d)|(?<![\p{L}\p{N}])GH-(?=\d)|\/(?:issues|pull|discussions)\/(?=\d)|\[(?=(?:skip ci|ci skip|no ci|skip actions|actions skip)\])/giu;

/** The title of an issue, which anybody may have written, as the subject of a commit and the title of a pull request. */
export function plainTitle(title: string): string {
  return cutText(cleanLine(title, MOST_CHARS).replace(ACTIVE, `$&${APART}`), MOST_CHARS);
}
