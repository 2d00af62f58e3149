import type { Nodes, RootContent } from 'mdast';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { applyCuts, type Cut, mergeCuts } from './cuts.ts';
import { findBlocks } from './find-blocks.ts';
import { cutHtml } from './hidden-html.ts';
import { cutInfo, cutMarkdown, findFootnotes } from './hidden-markdown.ts';
import { type HtmlToken, readHtmlTokens } from './html-tokens.ts';

/** A top-level node of the markdown, with the offset to add to its positions. */
export interface PlacedNode {
  node: RootContent;
  offset: number;
}

export interface VisibleText {
  nodes: PlacedNode[];
  /** The visible text of a range of the source. */
  show(start: number, end: number): string;
}

interface Findings {
  source: string;
  footnotes: ReadonlySet<string>;
  cuts: Cut[];
  tokens: HtmlToken[];
}

/** remark takes more than linear time, so it gets pieces of about this size, and no block that is much larger. */
const PIECE = 4096;
const MAX_BLOCK = 16_384;
const MAX_DEPTH = 20;
const DEEP = new RegExp(
  `^(?:[ \\t]*(?:>|[-+*][ \\t]|\\d{1,9}[.)][ \\t]|\\[\\^[^\\]\\s]+\\]:)){${MAX_DEPTH + 1}}`,
  'm',
);

const markdown = unified().use(remarkParse).use(remarkGfm).freeze();

/** Finds the parts of a markdown text that are not rendered. */
export function findVisibleText(source: string): VisibleText | { problem: string } {
  const nodes: PlacedNode[] = [];
  const findings: Findings = { source, footnotes: findFootnotes(source), cuts: [], tokens: [] };
  for (const { start, end, fence } of cutPieces(source)) {
    const text = source.slice(start, end);
    if (fence) {
      findings.cuts.push(...cutInfo(text.split('\n', 1)[0] ?? '', start));
      continue;
    }
    const problem = checkPiece(text);
    if (problem) return { problem };
    for (const node of markdown.parse(text).children) {
      nodes.push({ node, offset: start });
      visit(node, start, findings);
    }
  }
  const cuts = mergeCuts([...findings.cuts, ...cutHtml(findings.tokens, source.length)]);
  return { nodes, show: (start, end) => applyCuts(source, cuts, start, end) };
}

function checkPiece(text: string): string | undefined {
  if (text.length > MAX_BLOCK)
    return `One paragraph, list item or table has more than ${MAX_BLOCK / 1024} KiB: divide it by blank lines, or put it in a fenced block.`;
  if (DEEP.test(text)) return `Quotes or lists are nested more than ${MAX_DEPTH} deep: take some levels out.`;
  return undefined;
}

/** Yields fenced blocks alone, and everything else in pieces that end with a block. */
function* cutPieces(source: string): Generator<{ start: number; end: number; fence: boolean }> {
  let open: { start: number; end: number } | undefined;
  for (const { kind, start, end } of findBlocks(source)) {
    if (open && (kind === 'fence' || end - open.start > PIECE)) {
      yield { ...open, fence: false };
      open = undefined;
    }
    if (kind === 'fence') yield { start, end, fence: true };
    else open = { start: open?.start ?? start, end };
  }
  if (open) yield { ...open, fence: false };
}

function visit(node: Nodes, offset: number, findings: Findings): void {
  const { source, footnotes, cuts, tokens } = findings;
  // Only addresses that remark turned into links have no position, and those are visible.
  if (node.position?.start.offset !== undefined && node.position.end.offset !== undefined) {
    const start = offset + node.position.start.offset;
    const end = offset + node.position.end.offset;
    cuts.push(...cutMarkdown(node, { source, offset, start, end }, footnotes));
    if (node.type === 'html') {
      for (const token of readHtmlTokens(source.slice(start, end)))
        tokens.push({ ...token, start: start + token.start, end: start + token.end });
    }
  }
  if ('children' in node) for (const child of node.children) visit(child, offset, findings);
}
