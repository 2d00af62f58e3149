import { COMMAND_NAMES } from '../../core/contracts/command.ts';
import { nearestName } from '../../core/nearest-name.ts';
import { type Block, findBlocks } from './find-blocks.ts';
import { findInlineMarkup } from './inline-markup.ts';
import { findOriginal } from './mail-reply.ts';
import { readVisibleText } from './visible-text.ts';

/** Look-alikes of the slash in other alphabets and in mathematics. */
const SLASH = '[/\\uff0f\\u2044\\u2215\\u29f8]';
const UNSEEN = '[\\s\\u200b-\\u200f\\u2060]';
/** A command's line: the slash, a word that ends with the line or at white space, and the rest. */
const COMMAND_LINE = new RegExp(
  `^${UNSEEN}*(${SLASH})([A-Za-z][A-Za-z-]{0,29})([.,;:!?…]{0,5})(?=${UNSEEN}|$)([\\s\\S]*)$`,
  'u',
);
/** Elements whose content is quoted, or not visible at once. */
const QUIET_ELEMENT = /<(\/?)(?:blockquote|details|pre|code|template|table|samp)\b/gi;
/** The most words of one comment that are compared with command names. Real comments have one or two. */
const MAX_COMPARED = 50;
const KNOWN = [...COMMAND_NAMES, 'autobuild'] as const;

type KnownWord = (typeof KNOWN)[number];

/** A line that begins with a command's name or with a similar word. */
export interface CommandLine {
  slash: string;
  word: string;
  /** The rest of the line after the word, unchanged. */
  rest: string;
  known: KnownWord;
  /** True when the word is `known` itself, not only similar. */
  exact: boolean;
  /** Offset of the line's end in the text, and the index of its block. */
  end: number;
  block: number;
}

interface FoundLines {
  lines: CommandLine[];
  blocks: Block[];
  /** The reason why nobody can say which of the commands readers see. */
  problem?: string;
}

interface Budget {
  compared: number;
}

/**
 * Returns the lines of plain, outermost paragraphs that begin with a command, and all blocks. A line counts only if it
 * is also found in what is rendered.
 */
export function findCommandLines(text: string): FoundLines {
  const blocks = findBlocks(text);
  const lines: CommandLine[] = [];
  const budget = { compared: 0 };
  let depth = 0;
  for (const [index, block] of blocks.entries()) {
    const source = text.slice(block.start, block.end);
    if (block.kind === 'other') depth = Math.max(0, depth + countOpened(source));
    if (block.kind !== 'paragraph' || depth > 0 || mayDefineLinks(source)) continue;
    lines.push(...findInParagraph(source, block.start, index, budget));
  }
  return { ...(lines.length > 0 ? shownLines(text, lines) : { lines }), blocks };
}

/** If fewer lines with the same word are shown than written, nobody knows which of them is hidden. */
function shownLines(text: string, lines: CommandLine[]): Omit<FoundLines, 'blocks'> {
  const original = findOriginal(text);
  const visible = readVisibleText(text.slice(0, original));
  if ('problem' in visible) return { lines: [], problem: visible.problem };
  const shown = countWords(visible.paragraphs.flatMap((line) => COMMAND_LINE.exec(line)?.[2] ?? []));
  const own = lines.filter((line) => line.end <= original);
  const written = countWords(own.map((line) => line.word));
  return { lines: own.filter(({ word }) => (shown.get(word) ?? 0) >= (written.get(word) ?? 0)) };
}

function countWords(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function findInParagraph(source: string, offset: number, block: number, budget: Budget): CommandLine[] {
  const found: CommandLine[] = [];
  let isMarkup: ((at: number) => boolean) | undefined;
  let start = 0;
  for (const line of source.split('\n')) {
    const read = readCommandLine(line, budget);
    if (read) {
      isMarkup ??= findInlineMarkup(source);
      const slashAt = start + line.indexOf(read.slash);
      if (!isMarkup(slashAt)) found.push({ ...read, end: offset + start + line.length, block });
    }
    start += line.length + 1;
  }
  return found;
}

function readCommandLine(line: string, budget: Budget): Omit<CommandLine, 'end' | 'block'> | undefined {
  const [matched, slash = '', word = '', punctuation = '', rest = ''] = COMMAND_LINE.exec(line) ?? [];
  if (matched === undefined) return undefined;
  const lower = word.toLowerCase();
  const exact = KNOWN.find((name) => name === lower);
  if (!exact) budget.compared += 1;
  const known = exact ?? (budget.compared > MAX_COMPARED ? undefined : nearestName(lower, KNOWN));
  if (!known) return undefined;
  // A question mark is kept for the command to judge. Other punctuation after the word has no meaning.
  return {
    slash,
    word,
    rest: punctuation.includes('?') ? `?${rest}` : rest,
    known,
    exact: exact !== undefined,
  };
}

/** Counts the quiet elements that this HTML leaves open, because the text after it is inside them. */
function countOpened(html: string): number {
  let open = 0;
  for (const match of html.matchAll(QUIET_ELEMENT)) open += match[1] === '/' ? -1 : 1;
  return open;
}

/** `[label]: address` is not rendered, and may span several lines. */
function mayDefineLinks(paragraph: string): boolean {
  return /^\s*\[/.test(paragraph) && paragraph.includes(']:');
}
