import { terminalText } from '../../comments/terminal/terminal-text.ts';

const WIDTH = 500;
const LENGTH = 20_000;

/** Messages name paths, keys and values that anyone may have written: nothing in them steers a terminal or a job's log. */
export function cleanMessage(text: string): string {
  return terminalText(text, WIDTH, LENGTH).join('\n');
}
