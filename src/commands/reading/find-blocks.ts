import { htmlBlockEnd } from './html-block.ts';

/** A block of the text that is in no quote, list or other container. Offsets are into the text. */
export type Block =
  | { kind: 'paragraph'; start: number; end: number }
  | { kind: 'fence'; start: number; end: number; content: string; closed: boolean }
  | { kind: 'other'; start: number; end: number };

interface Line {
  text: string;
  start: number;
  end: number;
  /** Columns of white space before the first character, a tab reaching to the next multiple of four. */
  indent: number;
  /** The line after that white space. */
  rest: string;
}

/**
 * The parser's position: outside of blocks, in a paragraph, or in a block with its own rule for the lines it includes.
 */
type State =
  | { in: 'nothing' }
  | { in: 'paragraph' }
  | { in: 'fence'; mark: string; indent: number; lines: string[] }
  | { in: 'html'; end: RegExp }
  /** A quote, or text right after a container: it lasts until a blank line. */
  | { in: 'lazy' }
  /** A list item or footnote: `width` columns of white space keep a line inside. */
  | { in: 'item'; width: number; empty: boolean; blank: boolean }
  | { in: 'table' };

/**
 * Splits a text into its outermost markdown blocks in one pass.
 *
 * It keeps the offsets of lines, which the parser of `render-html.ts` does not. It knows only as much of CommonMark as it needs to tell a plain paragraph from everything else. An ambiguous line is
 * never a paragraph. A test compares it with remark.
 */
export function findBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  let state: State = { in: 'nothing' };
  for (const line of splitLines(text)) state = step(state, line, blocks);
  return blocks;
}

function step(state: State, line: Line, blocks: Block[]): State {
  if (state.in === 'fence') return continueFence(state, line, blocks);
  if (state.in === 'html') {
    extend(blocks, line);
    return state.end.test(line.text) ? { in: 'nothing' } : state;
  }
  if (line.rest === '') return stepOverBlank(state);
  if (state.in === 'item' && line.indent >= state.width) {
    extend(blocks, line);
    return { ...state, empty: false, blank: false };
  }
  const afterBlank = state.in === 'nothing' || (state.in === 'item' && state.blank);
  const opened = openBlock(line, state.in === 'paragraph', !afterBlank, blocks);
  if (opened) return opened;
  if (state.in === 'paragraph') return continueParagraph(line, blocks);
  if (!afterBlank) {
    extend(blocks, line);
    return state.in === 'table' ? state : { in: 'lazy' };
  }
  if (line.indent >= 4) {
    blocks.push({ kind: 'other', start: line.start, end: line.end });
    return { in: 'nothing' };
  }
  blocks.push({ kind: 'paragraph', start: line.start, end: line.end });
  return { in: 'paragraph' };
}

function stepOverBlank(state: State): State {
  if (state.in !== 'item' || state.empty) return { in: 'nothing' };
  return { ...state, blank: true };
}

/** Opens the block that begins with this line, if a block may begin here. */
function openBlock(line: Line, inParagraph: boolean, inText: boolean, blocks: Block[]): State | undefined {
  if (line.indent >= 4) return undefined;
  const { rest, start, end } = line;
  const fence = /^(?:(`{3,})[^`]*|(~{3,}).*)$/.exec(rest);
  if (fence) {
    blocks.push({ kind: 'fence', start, end, content: '', closed: false });
    return { in: 'fence', mark: fence[1] ?? fence[2] ?? '', indent: line.indent, lines: [] };
  }
  if (inParagraph && /^(?:=+|-+)[ \t]*$/.test(rest)) {
    // The underline turns the paragraph into a heading.
    extend(blocks, line);
    markOther(blocks);
    return { in: 'nothing' };
  }
  const swallowed = containerOrRule(line, inParagraph) ?? htmlState(rest, inText);
  if (!swallowed) return undefined;
  blocks.push({ kind: 'other', start, end });
  return swallowed;
}

function containerOrRule({ rest, indent }: Line, inParagraph: boolean): State | undefined {
  if (/^#{1,6}(?:[ \t]|$)/.test(rest)) return { in: 'nothing' };
  if (/^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/.test(rest)) return { in: 'nothing' };
  if (rest.startsWith('>')) return { in: 'lazy' };
  if (/^\[\^[^\]\s]+\]:/.test(rest)) return { in: 'item', width: 4, empty: false, blank: false };
  const item = /^([-+*]|(\d{1,9})[.)])([ \t]*)(.*)$/.exec(rest);
  if (!item) return undefined;
  const [, marker = '', number, space = '', content = ''] = item;
  if (content !== '' && space === '') return undefined;
  if (inParagraph && (content === '' || (number !== undefined && Number(number) !== 1))) return undefined;
  const before = indent + marker.length;
  const columns = columnAfter(space, before) - before;
  // Five columns and more are an indented block inside the item, one column after its marker.
  const inset = content === '' || columns > 4 ? 1 : columns;
  return { in: 'item', width: before + inset, empty: content === '', blank: false };
}

function htmlState(rest: string, inText: boolean): State | undefined {
  const end = htmlBlockEnd(rest, inText);
  if (!end) return undefined;
  return end.test(rest) ? { in: 'nothing' } : { in: 'html', end };
}

function continueFence(state: Extract<State, { in: 'fence' }>, line: Line, blocks: Block[]): State {
  const block = blocks.at(-1);
  extend(blocks, line);
  const mark = /^(`{3,}|~{3,})[ \t]*$/.exec(line.rest)?.[1];
  const closes =
    mark?.[0] === state.mark[0] && mark !== undefined && mark.length >= state.mark.length && line.indent < 4;
  if (!closes)
    state.lines.push(
      line.text.slice(Math.min(state.indent, line.text.length - line.text.trimStart().length)),
    );
  if (block?.kind === 'fence') {
    block.closed = closes;
    if (closes) block.content = state.lines.join('\n');
  }
  return closes ? { in: 'nothing' } : state;
}

function continueParagraph(line: Line, blocks: Block[]): State {
  const row = /^[|:\- \t]+$/.test(line.rest) && line.rest.includes('-');
  extend(blocks, line);
  if (!row) return { in: 'paragraph' };
  markOther(blocks);
  return { in: 'table' };
}

/** Extends the last block to the end of this line. */
function extend(blocks: Block[], line: Line): void {
  const block = blocks.at(-1);
  if (block) block.end = line.end;
}

function markOther(blocks: Block[]): void {
  const block = blocks.pop();
  if (block) blocks.push({ kind: 'other', start: block.start, end: block.end });
}

function* splitLines(text: string): Generator<Line> {
  let start = 0;
  while (start <= text.length) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, end);
    const white = /^[ \t]*/.exec(line)?.[0] ?? '';
    yield { text: line, start, end, indent: columnAfter(white, 0), rest: line.slice(white.length) };
    start = end + 1;
  }
}

function columnAfter(white: string, from: number): number {
  let column = from;
  for (const character of white) column += character === '\t' ? 4 - (column % 4) : 1;
  return column;
}
