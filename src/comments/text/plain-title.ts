import { cleanLine, cutText } from './clean-text.ts';

/** GitHub's own for the title of a pull request. */
const MOST_CHARS = 256;
/** Between a sign and what it would lead to: nobody sees it, and GitHub reads neither. */
const APART = '\u2060';

/**
 * What acts in a commit message or a title, which are no markdown: mentions; references, which close issues after a keyword;
 * and orders to the repository's CI.
 */
const ACTIVE =
  /[@＠](?=[\p{L}\p{N}])|[#＃](?=\d)|(?<![\p{L}\p{N}])GH-(?=\d)|\/(?:issues|pull|discussions)\/(?=\d)|\[(?=(?:skip ci|ci skip|no ci|skip actions|actions skip)\])/giu;

/** The title of an issue, which anybody may have written, as the subject of a commit and the title of a pull request. */
export function plainTitle(title: string): string {
  return cutText(cleanLine(title, MOST_CHARS).replace(ACTIVE, `$&${APART}`), MOST_CHARS);
}
