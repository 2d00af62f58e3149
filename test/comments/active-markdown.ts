import type { Nodes, Parents, Root } from 'mdast';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';

const parser = unified().use(remarkParse).use(remarkGfm);

export function parseMarkdown(markdown: string): Root {
  return parser.parse(markdown);
}

export function walk(node: Nodes, visit: (node: Nodes) => void): void {
  visit(node);
  for (const child of (node as Parents).children ?? []) walk(child as Nodes, visit);
}

const FORBIDDEN = new Set([
  'link',
  'linkReference',
  'image',
  'imageReference',
  'html',
  'definition',
  'footnoteReference',
  'footnoteDefinition',
  'heading',
  'thematicBreak',
]);

/** What GitHub makes active in rendered text, written down anew: not the pattern of the code under test. */
const ACTIVE_TEXT = [
  /(?<![\w`])@[a-z0-9]/i,
  /[\w.+-]+@[\w-]+\.\w/,
  /(?:^|[^\w])#\d/,
  /\w\/[\w.-]+#\d/,
  /\bGH-\d/i,
  /https?:\/\//i,
  /\bwww\./i,
  /\b[0-9a-f]{7,40}\b/,
];
export const CLOSING =
  /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?\s+(?:[\w./-]*#\d|GH-\d|https?:\/\/github\.com)/i;
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}]/u;

/** Everything in it that would do something. One list, because an assertion per node is slow. */
export function findActive(
  markdown: string,
  allowed: { types?: string[]; html?: RegExp; text?: RegExp; boxes?: number } = {},
): string[] {
  const found: string[] = [];
  if (!allowed.html && /<!--\s*autobuild/i.test(markdown)) found.push('marker');
  if (HIDDEN.test(markdown)) found.push('hidden character');
  let boxes = 0;
  walk(parseMarkdown(markdown), (node) => {
    const ours =
      allowed.types?.includes(node.type) || (node.type === 'html' && allowed.html?.test(node.value));
    if (FORBIDDEN.has(node.type) && !ours) found.push(`${node.type}: ${'value' in node ? node.value : ''}`);
    if (node.type === 'listItem' && typeof node.checked === 'boolean') boxes += 1;
    if (node.type !== 'text') return;
    const value = allowed.text ? node.value.replace(allowed.text, '') : node.value;
    for (const pattern of ACTIVE_TEXT) if (pattern.test(value)) found.push(`${pattern} in ${node.value}`);
  });
  if (boxes !== (allowed.boxes ?? 0)) found.push(`${boxes} boxes`);
  return found;
}
