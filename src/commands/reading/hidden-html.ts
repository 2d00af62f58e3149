import type { Cut } from './cuts.ts';
import type { HtmlToken } from './html-tokens.ts';

/**
 * Removes tags and keeps their text. A hidden element is removed with its content, and an unclosed one hides the rest.
 */
export function cutHtml(tokens: HtmlToken[], length: number): Cut[] {
  const cuts: Cut[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (!token) break;
    if (token.kind === 'open' && token.hides) {
      const close = findClose(tokens, at);
      cuts.push({ start: token.start, end: tokens[close]?.end ?? length, instead: '' });
      at = close;
    } else {
      cuts.push({ start: token.start, end: token.end, instead: token.name === 'br' ? ' ' : '' });
    }
  }
  return cuts;
}

function findClose(tokens: HtmlToken[], opened: number): number {
  const name = tokens[opened]?.name;
  let depth = 0;
  for (let at = opened; at < tokens.length; at += 1) {
    if (tokens[at]?.name !== name) continue;
    depth += tokens[at]?.kind === 'open' ? 1 : -1;
    if (depth === 0) return at;
  }
  return tokens.length;
}
