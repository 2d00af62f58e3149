import { stripAnsi } from '../../core/errors/plain-lines.ts';

const LINES = 5;
const CHARS = 600;
const TELLING = /\b(?:error|invalid|unknown|unexpected|not found|denied|failed|missing|cannot)\b/i;

/** The line that most likely says why. */
export function tellingLine(words: string): string {
  const lines = words.split('\n').map((line) => line.trim());
  return lines.find((line) => TELLING.test(line)) ?? lines.at(-1) ?? '';
}

/** The end of what an agent wrote to stderr, which usually says why it failed. Undefined if there is nothing to read. */
export function lastWordsOf(stderr: string): string | undefined {
  const lines = stripAnsi(stderr)
    .split(/[\r\n]+/)
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== '');
  return lines.slice(-LINES).join('\n').slice(-CHARS) || undefined;
}
