import { stripAnsi } from '../../core/errors/plain-lines.ts';

/** Longest text that is looked at; what people see is cut far shorter. */
const READ_CHARS = 100_000;

const C1_SEQUENCE = /\x9b[0-?]*[ -/]*[@-~]?/g;
const LINE_BREAK = /\r\n?|[\v\f\x85\u2028\u2029]/g;
// Everything that takes no room on the screen (zero-width, bidi, tag and filler characters), and what only controls something.
const UNSEEN =
  /[\p{Default_Ignorable_Code_Point}\p{Co}\p{Noncharacter_Code_Point}\ufff9-\ufffb]|(?![\n\t])\p{Cc}/gu;
const PILED_MARKS = /(\p{M}{3})\p{M}+/gu;
// Markers are ours alone, also where HTML would not be read as such: others may search the raw text for them.
const FORGED_MARKER = /<!--(?=\s*autobuild)/gi;

/** Text of unknown origin as a person would see it: nothing hidden, nothing that steers a terminal, no marker of ours. */
export function cleanText(text: string, wanted = READ_CHARS): string {
  // What is shown may be a small part of what is hidden around it; still, a bound that follows what is wanted keeps this cheap.
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

/** At most `max` characters; the last one says that something is missing. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  // Half a surrogate pair at the cut is no character.
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
    : [...all.slice(0, bounds.lines), `… ${all.length - bounds.lines} lines more`];
}
