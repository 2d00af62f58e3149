import { cleanLine, cleanLines } from './clean-text.ts';

/**
 * Agent text for GitHub markdown. GitHub looks for mentions, references and links in the *rendered* text, so escaping their
 * characters does not stop it. Inline code does, and readers still see the exact text.
 */
const ACTIVE = new RegExp(
  [
    '[@＠$]', // mentions, e-mail addresses, formulas
    '[#＃]\\d', // #12, owner/repo#12
    '(?<![a-z0-9])(?:GH-\\d|GHSA-|CVE-)',
    '://|www\\.|github\\.com',
    '(?<![0-9a-z])[0-9a-f]{7,}(?![0-9a-z])', // commit ids
    '\\[!', // alerts
    ':[\\w+-]+:', // emoji names
  ].join('|'),
  'iu',
);

const CODE_SPAN = /(?<!`)(`{1,3})(?!`)([^`]+)\1(?!`)/g;

/** One line, escaped; code spans stay code. Safe in paragraphs, list items, quotes, table cells and bold text. */
export function inlineText(text: string, max: number): string {
  const line = cleanLine(text, max);
  const pieces: string[] = [];
  let from = 0;
  for (const match of line.matchAll(CODE_SPAN)) {
    pieces.push(...escapeWords(line.slice(from, match.index)), code(match[2] ?? '', max));
    from = match.index + match[0].length;
  }
  pieces.push(...escapeWords(line.slice(from)));
  return escapeStart(joinPieces(pieces));
}

/** A block quote. Line breaks stay, everything else is escaped. */
export function quoted(text: string, max: number): string {
  const lines = cleanLines(text, { chars: max, lines: 30, lineChars: max });
  return lines.map((line) => `> ${inlineText(line, max)}`.trimEnd()).join('\n');
}

/** A fenced block whose fence is longer than any run of backticks inside. */
export function fenced(text: string, max: number, info = ''): string {
  const body = cleanLines(text, { chars: max, lines: 200, lineChars: 400 }).join('\n');
  const fence = '`'.repeat(Math.max(3, longestRun(body) + 1));
  return `${fence}${info.replace(/[^a-z]/g, '')}\n${body}\n${fence}`;
}

// A pull request's description may become a commit message, where backticks do not help. So keyword and reference are separated.
const AFTER_KEYWORD =
  /(?<=\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?)\s*(?=[\w./:-]*(?:#|GH-|\/issues\/|\/pull\/|\/discussions\/)\d)/i;

/** Inline code. A closing keyword and its reference get separate spans. The table escapes pipes. */
export function code(text: string, max: number): string {
  return cleanLine(text, max)
    .split(AFTER_KEYWORD)
    .filter((part) => part !== '')
    .map(codeSpan)
    .join(' ');
}

/** Code for the summary line of a fold, which is HTML. GitHub finds mentions there too, except in code. */
export function htmlCode(text: string, max: number): string {
  const escaped = cleanLine(text, max).replace(/[^\p{L}\p{N}/ -]/gu, (char) => `&#${char.codePointAt(0)};`);
  return `<code>${escaped}</code>`;
}

function codeSpan(text: string): string {
  const fence = '`'.repeat(longestRun(text) + 1);
  const pad = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${text}${pad}${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map((match) => match[0].length));
}

function escapeWords(text: string): string[] {
  return text
    .split(/( )/)
    .flatMap((word) => (ACTIVE.test(word) ? coverWord(word) : [escapePunctuation(word)]));
}

/** Puts a word into code, without brackets and punctuation around it. */
function coverWord(word: string): string[] {
  let start = 0;
  let end = word.length;
  while (start < end && '("\'[{'.includes(word.charAt(start))) start += 1;
  while (end > start && ')"\'\\]},.;:!?'.includes(word.charAt(end - 1))) end -= 1;
  const body = word.slice(start, end);
  return [
    escapePunctuation(word.slice(0, start)),
    code(body, body.length),
    escapePunctuation(word.slice(end)),
  ];
}

const REFERENCES: Record<string, string> = {
  '\\': '&#92;',
  '`': '&#96;',
  '|': '&#124;',
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
};

/** Uses character references for characters that tables or HTML read as well, and backslashes for the rest. */
function escapePunctuation(text: string): string {
  return text
    .replace(/[\\`|<>]|&(?=[#\w])/g, (char) => REFERENCES[char] ?? char)
    .replace(/[*~[\]]/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_');
}

/** Escapes the start of a heading, list, rule or table row. */
function escapeStart(text: string): string {
  return text.replace(/^[-+=#:]/, '\\$&').replace(/^(\d{1,9})([.)])/, '$1\\$2');
}

/** Puts a space between two code spans, which would become one span otherwise. */
function joinPieces(pieces: string[]): string {
  let joined = '';
  for (const piece of pieces) joined += joined.endsWith('`') && piece.startsWith('`') ? ` ${piece}` : piece;
  return joined;
}
