import { stripAnsi } from '../../core/errors/plain-lines.ts';

/** Longest text that is read. Shown texts are cut far shorter. */
const READ_CHARS = 100_000;

const C1_SEQUENCE = /\x9b[0-?]*[ -/]*[@-~]?/g;
const LINE_BREAK = /\r\n?|[\v\f\x85\u2028\u2029]/g;
// Invisible characters (zero-width, bidi, tag, filler) and control characters.
const UNSEEN =
  /[\p{Default_Ignorable_Code_Point}\p{Co}\p{Noncharacter_Code_Point}\ufff9-\ufffb]|(?![\n\t])\p{Cc}/gu;
const PILED_MARKS = /(\p{M}{3})\p{M}+/gu;
// Only Autobuild writes markers. Forged ones are broken also inside code, because some readers search the raw text.
const FORGED_MARKER = /<!--(?=\s*autobuild)/gi;

/** Text of unknown origin without hidden characters, terminal sequences and forged markers. */
export function cleanText(text: string, wanted = READ_CHARS): string {
  // Hidden characters may be most of the text. A bound relative to the wanted length keeps this cheap.
  return stripAnsi(text.slice(0, Math.min(READ_CHARS, wanted * 10 + 2_000)))
    .replace(C1_SEQUENCE, '')
    .toWellFormed()
    .replace(LINE_BREAK, '\n')
    .replace(UNSEEN, '')
    .replace(PILED_MARKS, '$1')
    .replace(FORGED_MARKER, '<! --');
}

export function cleanLine(text: string, max: number): string {
  return cutText(cleanText(text, max).replace(/\s+/g, ' ').trim(), max);
}

/** At most `max` characters. An ellipsis at the end shows that text is missing. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  // The cut must not split a surrogate pair.
  return `${text.slice(0, Math.max(0, max - 1)).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Lines bounded in number and length, without blank ones at either end. */
export function cleanLines(
  text: string,
  bounds: { chars: number; lines: number; lineChars: number },
): string[] {
  const all = cutText(
    cleanText(text, bounds.chars)
      .replace(/\t/g, '  ')
      .replace(/^\s*\n|\s+$/g, ''),
    bounds.chars,
  )
    .split('\n')
    .map((line) => cutText(line.trimEnd(), bounds.lineChars));
  return all.length <= bounds.lines
    ? all
    : [...all.slice(0, bounds.lines), `… ${all.length - bounds.lines} more lines`];
}
