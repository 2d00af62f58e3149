/**
 * The beginning and end of an HTML block in CommonMark: https://spec.commonmark.org/0.31.2/#html-blocks
 * Its content is not read as markdown, and often not rendered.
 */
const BLOCK_TAGS =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul';
const BLANK = /^\s*$/;
const ATTRIBUTE = `\\s+[A-Za-z_:][A-Za-z0-9_.:-]*(?:\\s*=\\s*(?:[^\\s"'=<>\`]+|'[^']*'|"[^"]*"))?`;

const KINDS: { start: RegExp; end: RegExp; interrupts: boolean }[] = [
  {
    start: /^<(?:script|pre|style|textarea)(?:\s|>|$)/i,
    end: /<\/(?:script|pre|style|textarea)>/i,
    interrupts: true,
  },
  { start: /^<!--/, end: /-->/, interrupts: true },
  { start: /^<\?/, end: /\?>/, interrupts: true },
  { start: /^<![A-Za-z]/, end: />/, interrupts: true },
  { start: /^<!\[CDATA\[/, end: /\]\]>/, interrupts: true },
  { start: new RegExp(`^</?(?:${BLOCK_TAGS})(?:\\s|/?>|$)`, 'i'), end: BLANK, interrupts: true },
  {
    start: new RegExp(
      `^(?:<[A-Za-z][A-Za-z0-9-]*(?:${ATTRIBUTE})*\\s*/?>|</[A-Za-z][A-Za-z0-9-]*\\s*>)\\s*$`,
    ),
    end: BLANK,
    interrupts: false,
  },
];

/** The pattern of the line that ends the block that begins here. Undefined if no block begins here. */
export function htmlBlockEnd(line: string, inParagraph: boolean): RegExp | undefined {
  if (!line.startsWith('<')) return undefined;
  return KINDS.find((kind) => (kind.interrupts || !inParagraph) && kind.start.test(line))?.end;
}
