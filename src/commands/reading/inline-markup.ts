/** The longest tag or link address. It bounds the work on text that only resembles one. */
const MAX_LENGTH = 500;
const ATTRIBUTE = `\\s+[A-Za-z_:][A-Za-z0-9_.:-]*(?:\\s*=\\s*(?:[^\\s"'=<>\`]+|'[^']*'|"[^"]*"))?`;
const TAG = new RegExp(
  `^(?:<[A-Za-z][A-Za-z0-9-]*(?:${ATTRIBUTE})*\\s*/?>|</[A-Za-z][A-Za-z0-9-]*\\s*>|<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\\s<>]*>)`,
);
/** `(?=(…))\1` matches the address without backtracking, because backtracking would take quadratic time. */
const LINK_TAIL = /^\]\(\s*(?:<[^<>\n]*>|(?=([^\s<>]*))\1)(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)/;
/** Markup that hides its content: how it opens and how it closes. */
const ENCLOSED: [string, string][] = [
  ['<!--', '-->'],
  ['<?', '?>'],
  ['<![CDATA[', ']]>'],
  ['<!', '>'],
  ['![', ']'],
];

interface Scan {
  text: string;
  linkTails: boolean;
  /** Offsets of runs of backticks by their length, the last one first. */
  runs: Map<number, number[]>;
  /** Closing markers that the rest of the text does not have, so that each is searched for once. */
  missing: Set<string>;
}

/**
 * Returns a function that says whether an offset of the paragraph is inside inline code, an HTML tag or comment, an
 * image's description, or the address or title of a link, because readers of the rendered text see no command there.
 */
export function findInlineMarkup(paragraph: string): (at: number) => boolean {
  const covered = new Uint8Array(paragraph.length);
  // Both readings count, because brackets far away decide whether `](` belongs to a link.
  for (const linkTails of [true, false]) {
    const scan = { text: paragraph, linkTails, runs: backtickRuns(paragraph), missing: new Set<string>() };
    for (let at = 0; at < paragraph.length; ) {
      const next = stepOver(scan, at);
      covered.fill(1, at + 1, next);
      at = next;
    }
  }
  return (at) => covered[at] === 1;
}

/** The offset after the construct that begins here, or after one character if none does. */
function stepOver(scan: Scan, at: number): number {
  const { text } = scan;
  const character = text.charAt(at);
  if (character === '\\') return at + (/[!-/:-@[-`{-~]/.test(text.charAt(at + 1)) ? 2 : 1);
  if (character === '`') return stepOverCode(scan, at);
  if (character === '<' || character === '!')
    return stepOverEnclosed(scan, at) ?? stepOverMatch(text, at, TAG);
  if (scan.linkTails && character === ']') return stepOverMatch(text, at, LINK_TAIL);
  return at + 1;
}

function stepOverCode({ text, runs }: Scan, at: number): number {
  let end = at;
  while (text.charAt(end) === '`') end += 1;
  const starts = runs.get(end - at) ?? [];
  while (starts.length > 0 && (starts.at(-1) ?? 0) < end) starts.pop();
  const closing = starts.at(-1);
  return closing === undefined ? end : closing + (end - at);
}

function stepOverEnclosed({ text, missing }: Scan, at: number): number | undefined {
  for (const [opening, closing] of ENCLOSED) {
    if (!text.startsWith(opening, at) || missing.has(closing)) continue;
    const end = text.indexOf(closing, at + 2);
    if (end >= 0) return end + closing.length;
    missing.add(closing);
  }
  return undefined;
}

function stepOverMatch(text: string, at: number, pattern: RegExp): number {
  const match = pattern.exec(text.slice(at, at + MAX_LENGTH));
  return at + (match ? match[0].length : 1);
}

function backtickRuns(text: string): Map<number, number[]> {
  const runs = new Map<number, number[]>();
  for (const match of text.matchAll(/`+/g)) {
    const starts = runs.get(match[0].length);
    if (starts) starts.push(match.index);
    else runs.set(match[0].length, [match.index]);
  }
  for (const starts of runs.values()) starts.reverse();
  return runs;
}
