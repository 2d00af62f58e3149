/// <reference path='./markdown-it-footnote.d.ts' />
import MarkdownIt, { type Env as MarkdownEnv } from 'markdown-it';
import footnotes from 'markdown-it-footnote';
import { readInfo, showFence } from './hidden-in-code.ts';
import { showMath } from './show-math.ts';

/** Deeper blocks would be dropped by the parser. */
const MAX_NESTING = 60;
const MAX_DEPTH = 20;
const DEEP = new RegExp(
  `^(?:[ \\t]*(?:>|[-+*][ \\t]|\\d{1,9}[.)][ \\t]|\\[\\^[^\\]\\s]+\\]:)){${MAX_DEPTH + 1}}`,
  'm',
);
const TOO_DEEP = `Quotes, lists or footnotes are nested more than ${MAX_DEPTH} levels deep: flatten them.`;

/** More of these take too long, and no person writes them. */
const MAX_CELLS = 10_000;
const MAX_BRACKETS = 10_000;
const MAX_TOKENS = 32_000;
/** Addresses take as long as some other tokens. */
const WORK: Readonly<Record<string, number>> = { link_open: 4, image: 4 };
const TOO_MANY_CELLS = `Tables have more than ${MAX_CELLS.toLocaleString('en')} cells: put them in a file of the repository.`;
const TOO_MANY_BRACKETS = `There are more than ${MAX_BRACKETS.toLocaleString('en')} square brackets outside of code: put such text between lines of three backticks.`;
const TOO_MANY_TOKENS =
  'There are more paragraphs, items, marks and links than people write in one text: put them in a file of the repository.';

/** Ends the work on a text that nobody has to render. */
class UnfitError extends Error {
  override readonly name = 'UnfitError';
}

/** The facts that the rules of the renderer share for one text. */
interface Env extends MarkdownEnv {
  footnotes?: { refs?: Record<string, number> };
  hidden: number;
  cells: number;
  brackets: number;
  addresses: Set<string>;
}

const markdown = new MarkdownIt('default', { html: true, maxNesting: MAX_NESTING }).use(footnotes);
// GitHub has no notes within a line.
markdown.inline.ruler.disable('footnote_inline');

markdown.inline.ruler.before('escape', 'math', (state, silent) => {
  const end = endOfMath(state.src, state.pos);
  if (end === undefined) return false;
  if (!silent) state.push('math', '', 0).content = state.src.slice(state.pos, end);
  state.pos = end;
  return true;
});

markdown.block.ruler.before('table', 'table_size', (state, startLine, endLine, silent) => {
  const { src, bMarks, eMarks, tShift } = state;
  const lineAt = (line: number) => src.slice((bMarks[line] ?? 0) + (tShift[line] ?? 0), eMarks[line]);
  if (silent || startLine + 2 > endLine || !/^[|:-][|:\-\s]*$/.test(lineAt(startLine + 1))) return false;
  const columns = Math.max(1, lineAt(startLine + 1).split('|').length - 1);
  const env = ownEnv(state.env);
  for (let line = startLine; line < endLine && !state.isEmpty(line); line += 1) {
    env.cells += columns;
    if (env.cells > MAX_CELLS) throw new UnfitError(TOO_MANY_CELLS);
  }
  return false;
});

markdown.inline.ruler.before('link', 'bracket_count', (state) => {
  if (state.src.charAt(state.pos) !== '[') return false;
  const env = ownEnv(state.env);
  env.brackets += 1;
  if (env.brackets > MAX_BRACKETS) throw new UnfitError(TOO_MANY_BRACKETS);
  return false;
});

// Counted before anything is rendered, because rendering and reading it again take longer than parsing.
markdown.core.ruler.at('inline', ({ tokens, env, md }) => {
  let count = tokens.length;
  for (const { type, content, children } of tokens) {
    if (count > MAX_TOKENS) throw new UnfitError(TOO_MANY_TOKENS);
    if (type !== 'inline' || !children) continue;
    md.inline.parse(content, md, env, children);
    for (const child of children) count += WORK[child.type] ?? 1;
  }
  if (count > MAX_TOKENS) throw new UnfitError(TOO_MANY_TOKENS);
});

// GitHub shows the first of two footnotes of one name; the library keeps the last.
markdown.core.ruler.before('footnote_tail', 'footnote_twice', (state) => {
  const seen = new Set<string>();
  let dropping = 0;
  state.tokens = state.tokens.filter(({ type, meta }) => {
    const isOpen = type === 'footnote_reference_open';
    if (dropping > 0) {
      dropping += isOpen ? 1 : type === 'footnote_reference_close' ? -1 : 0;
      return false;
    }
    if (!isOpen) return true;
    const label = String(meta?.label);
    if (!seen.has(label)) return Boolean(seen.add(label));
    ownEnv(state.env).hidden += 1;
    dropping = 1;
    return false;
  });
});

const { rules, renderToken } = markdown.renderer;
const escapeHtml = markdown.utils.escapeHtml;
/** Marks keep their spelling, because `_` and `*` are also parts of paths. */
for (const name of ['em', 'strong', 's'])
  rules[`${name}_open`] = (tokens, at) => `<${name} m="${tokens[at]?.markup ?? ''}">`;
rules.softbreak = () => '\n';
rules.hardbreak = () => '<br>';
rules.text = (tokens, at) => escapeHtml(tokens[at]?.content ?? '');
rules.math = (tokens, at, _, env) => {
  const shown = showMath(tokens[at]?.content ?? '');
  ownEnv(env).hidden += shown.hidden;
  return `<x-math>${escapeHtml(shown.text)}</x-math>`;
};
rules.code_block = (tokens, at) => `<pre>${escapeHtml(tokens[at]?.content ?? '')}</pre>`;
rules.fence = (tokens, at, _, env) => {
  const { info = '', content = '' } = tokens[at] ?? {};
  const { language, hidden } = readInfo(info);
  const shown = showFence(info, content);
  ownEnv(env).hidden += shown.hidden + hidden;
  return `<pre lang="${escapeHtml(language)}">${escapeHtml(shown.text)}</pre>`;
};
rules.image = (tokens, at, _, env) => {
  const token = tokens[at];
  if (token?.content || token?.attrGet('title')) ownEnv(env).hidden += 1;
  return `<img src="${escapeHtml(remember(env, token?.attrGet('src')))}">`;
};
rules.link_open = (tokens, at, _, env) => {
  const token = tokens[at];
  if (token?.attrGet('title')) ownEnv(env).hidden += 1;
  return `<a href="${escapeHtml(remember(env, token?.attrGet('href')))}">`;
};
rules.footnote_ref = (tokens, at) => `[^${Number(tokens[at]?.meta?.id) + 1}]`;
rules.footnote_block_open = () => '';
rules.footnote_block_close = () => '';
rules.footnote_open = (tokens, at) => `<x-note n="${Number(tokens[at]?.meta?.id) + 1}">`;
rules.footnote_close = () => '</x-note>';
rules.footnote_anchor = () => '';
markdown.renderer.renderToken = function (tokens, at, options) {
  const token = tokens[at];
  // The first number of a list is the only attribute of use.
  if (token) token.attrs = token.attrs?.filter(([name]) => name === 'start') ?? null;
  return renderToken.call(this, tokens, at, options);
};

/** The HTML of a markdown text, and the number of parts that are not in it because nobody would see them. */
export function renderHtml(source: string): { html: string; hidden: number } | { problem: string } {
  if (DEEP.test(source)) return { problem: TOO_DEEP };
  const env: Env = { hidden: 0, cells: 0, brackets: 0, addresses: new Set() };
  try {
    const tokens = markdown.parse(source, env);
    if (tokens.some(({ level }) => level >= MAX_NESTING - 1)) return { problem: TOO_DEEP };
    const html = markdown.renderer.render(tokens, markdown.options, env);
    return { html, hidden: env.hidden + countUnused(env) };
  } catch (error) {
    if (error instanceof UnfitError) return { problem: error.message };
    if (!(error instanceof RangeError)) throw error;
    return { problem: TOO_DEEP };
  }
}

/** Every text is parsed with an environment of ours. */
function ownEnv(env: MarkdownEnv | undefined): Env {
  return env as Env;
}

function remember(env: MarkdownEnv | undefined, found: string | number | null | undefined): string {
  const address = String(found ?? '');
  ownEnv(env).addresses.add(address);
  return address;
}

/** Definitions of links with a title or without a link, and footnotes that the text does not refer to. */
function countUnused({ references = {}, footnotes: notes, addresses }: Env): number {
  const links = Object.values(references).filter(({ title, href }) => title !== '' || !addresses.has(href));
  const unseen = Object.values(notes?.refs ?? {}).filter((id) => id < 0);
  return links.length + unseen.length;
}

/** The offset after the formula that begins here: `$…$`, `$$…$$`. Money is no formula, as GitHub sees it. */
function endOfMath(text: string, at: number): number | undefined {
  if (text.charAt(at) !== '$') return undefined;
  const mark = text.charAt(at + 1) === '$' ? '$$' : '$';
  const close = text.indexOf(mark, at + mark.length);
  if (close < 0) return undefined;
  if (mark === '$$') return close + 2;
  const content = text.slice(at + 1, close);
  if (content === '' || content !== content.trim() || /[\w$]/.test(text.charAt(close + 1))) return undefined;
  return close + 1;
}
