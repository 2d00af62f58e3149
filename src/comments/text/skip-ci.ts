/** Keeps GitHub Actions from running `push` and `pull_request` workflows for the commit that has it in its message. */
export const SKIP_CI = '[skip ci]';

const INSTRUCTION = /\[(?=(?:skip ci|ci skip|no ci|skip actions|actions skip)\])/gi;
const TRAILER = /\n\s*\nskip-checks: ?true\s*$/i;
/** Invisible. It keeps GitHub from reading the words after it as an instruction. */
const APART = '\u2060';

/** Whether GitHub skips CI for a commit with this message. */
export function skipsCi(message: string): boolean {
  return message.search(INSTRUCTION) !== -1 || TRAILER.test(message);
}

/** For text that may become a commit message, as the description of a pull request does when people squash. */
export function withoutSkipCi(text: string): string {
  return text.replace(INSTRUCTION, `$&${APART}`);
}
