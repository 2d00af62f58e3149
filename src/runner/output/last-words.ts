import { stripAnsi } from '../../core/errors/plain-lines.ts';

const LINES = 5;
const CHARS = 600;
/** A line that begins with the kind of an error, as programs and runtimes print it. */
const NAMING =
  /^(?:[\w./-]{1,80}: )?(?:uncaught |fatal )?[\w$.]{0,120}(?:error|exception|fatal|panic)(?: \[\w{1,80}\])?: ?\S/i;
const TELLING = /\b(?:error|invalid|unknown|unexpected|not found|denied|failed|missing|cannot)\b/i;
/** Lines that a runtime adds to every crash. */
const SAME_IN_EVERY_CRASH = /^(?:\s+at\s|(?:Node\.js|Bun) v\d)/;

/** The line that most likely says why. An error that ended a program is the last one that is named. */
export function tellingLine(words: string): string {
  const lines = words.split('\n').map((line) => line.trim());
  return (
    lines.findLast((line) => NAMING.test(line)) ??
    lines.slice(-LINES).find((line) => TELLING.test(line)) ??
    lines.findLast((line) => TELLING.test(line)) ??
    lines.at(-1) ??
    ''
  );
}

/**
 * The end of what an agent wrote to stderr, which usually says why it failed, with the line that names the error before it if
 * that came earlier. Undefined if there is nothing to read.
 */
export function lastWordsOf(stderr: string): string | undefined {
  const lines = stripAnsi(stderr)
    .split(/[\r\n]+/)
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== '');
  const own = lines.filter((line) => !SAME_IN_EVERY_CRASH.test(line));
  const said = own.length > 0 ? own : lines;
  const last = said.slice(-LINES).join('\n').slice(-CHARS);
  const telling = tellingLine(said.join('\n')).slice(0, CHARS / 2);
  if (last.includes(telling)) return last || undefined;
  const room = CHARS - telling.length - 1;
  return `${telling}\n${said
    .slice(1 - LINES)
    .join('\n')
    .slice(-room)}`;
}
