/** A tag, or HTML that is never rendered. Offsets are into the HTML. */
export interface HtmlToken {
  start: number;
  end: number;
  kind: 'comment' | 'open' | 'close';
  name: string;
  /** True when the element and its content are not rendered. */
  hides: boolean;
}

/** A longer match is text with a `<` in it, not a tag. */
const MAX_TAG = 2000;
const NEVER_SHOWN: [string, string][] = [
  ['<!--', '-->'],
  ['<?', '?>'],
  ['<![CDATA[', ']]>'],
  ['<!', '>'],
];
const HIDING_ELEMENTS = new Set(
  'script style template noscript title head iframe object svg datalist noembed noframes'.split(' '),
);
const VOID_ELEMENTS = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
);
const HIDING_ATTRIBUTE = /\s(?:hidden(?=[\s=/>])|style\s*=)/i;
const HIDING_STYLE =
  /display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:opacity|font-size)\s*:\s*0|color\s*:\s*(?:transparent|white|#fff)/i;
const TAG = /^<(\/?)([A-Za-z][A-Za-z0-9-]*)(?:[\s/](?:[^"'<>]|"[^"]*"|'[^']*')*)?>/;

/** Returns the tags and comments of a piece of HTML. A comment that never ends hides everything after it. */
export function readHtmlTokens(html: string): HtmlToken[] {
  const tokens: HtmlToken[] = [];
  let at = html.indexOf('<');
  while (at >= 0) {
    const token = readNeverShown(html, at) ?? readTag(html, at);
    if (token) tokens.push(token);
    at = html.indexOf('<', token?.end ?? at + 1);
  }
  return tokens;
}

function readNeverShown(html: string, start: number): HtmlToken | undefined {
  const pair = NEVER_SHOWN.find(([opening]) => html.startsWith(opening, start));
  if (!pair) return undefined;
  const close = html.indexOf(pair[1], start + 2);
  const end = close < 0 ? html.length : close + pair[1].length;
  return { start, end, kind: 'comment', name: '', hides: false };
}

function readTag(html: string, start: number): HtmlToken | undefined {
  const match = TAG.exec(html.slice(start, start + MAX_TAG));
  if (!match) return undefined;
  const [tag, slash, written = ''] = match;
  const name = written.toLowerCase();
  const styled = HIDING_ATTRIBUTE.test(tag) && (/\shidden(?=[\s=/>])/i.test(tag) || HIDING_STYLE.test(tag));
  const hides = (HIDING_ELEMENTS.has(name) || styled) && !VOID_ELEMENTS.has(name);
  return { start, end: start + tag.length, kind: slash ? 'close' : 'open', name, hides };
}
