import { terminalText } from '../../comments/terminal/terminal-text.ts';

const WIDTH = 500;
const LENGTH = 20_000;

/**
 * Messages quote paths, keys and values from anyone, so control characters that steer a terminal or a job's log are
 * removed.
 */
export function cleanMessage(text: string): string {
  return terminalText(text, WIDTH, LENGTH).join('\n');
}
