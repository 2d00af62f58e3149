import { sightErrors } from '../../core/errors/error-signature.ts';
import { readPlainLines } from '../../core/errors/plain-lines.ts';

const LINES = 40;
const MOST_CHARS = 6_000;
/** Actions writes the time before each line. */
const TIME = /^\uFEFF?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z ?/;
const FAILED = '##[error]';
const FOLD = /^##\[(?:group|endgroup|debug|command|section)\]/;

/** The end of a log up to the line with which the step failed: later lines only clean up. */
export function readLog(log: string): string {
  const lines = readPlainLines(log).map((line) => line.replace(TIME, ''));
  const last = lines.findLastIndex((line) => line.startsWith(FAILED));
  const told = (last < 0 ? lines : lines.slice(0, last + 1))
    .filter((line) => !FOLD.test(line))
    .map((line) => (line.startsWith(FAILED) ? line.slice(FAILED.length) : line).trimEnd());
  return told.slice(-LINES).join('\n').trim().slice(-MOST_CHARS);
}

/** The first error in a log, for people; and without its volatile parts, to compare it with that of another head. */
export function errorIn(log: string): { error?: string; signature: string } {
  if (log.trim() === '') return { signature: '' };
  const [first] = sightErrors(log, 1);
  return { error: first?.message, signature: first?.signature ?? '' };
}
