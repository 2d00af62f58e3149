import type { List, ListItem } from 'mdast';
import { toString as textOf } from 'mdast-util-to-string';
import type { PlacedNode, VisibleText } from './visible-text.ts';

const MAX_ITEMS = 200;
const MAX_ITEM_LENGTH = 2000;
const SECTIONS = new Set(['acceptance criteria', 'scope']);

interface TaskSections {
  title?: string;
  acceptanceCriteria: string[];
  scope?: string[];
}

/** Reads the title and the lists under `## Acceptance criteria` and `## Scope`. */
export function readSections({ nodes, show }: VisibleText): TaskSections {
  let title: string | undefined;
  let section: { name: string; depth: number } | undefined;
  const acceptanceCriteria: string[] = [];
  const scope: string[] = [];
  for (const placed of nodes) {
    const { node } = placed;
    if (node.type === 'heading') {
      if (showNode(placed, show).replace(/^#+/, '').trim() === '') continue;
      const text = textOf(node, { includeHtml: false, includeImageAlt: false }).trim();
      if (node.depth === 1 && text !== '') title ??= text;
      const name = text.toLowerCase().replace(/\s*:$/, '');
      if (SECTIONS.has(name)) section = { name, depth: node.depth };
      else if (section && node.depth <= section.depth) section = undefined;
    } else if (node.type === 'list' && section?.name === 'acceptance criteria') {
      acceptanceCriteria.push(...readItems(node, placed.offset, show));
    } else if (node.type === 'list' && section?.name === 'scope') {
      for (const item of readItems(node, placed.offset, show)) scope.push(...readPaths(item));
    }
  }
  return {
    title,
    acceptanceCriteria: acceptanceCriteria.slice(0, MAX_ITEMS),
    scope: scope.length > 0 ? scope.slice(0, MAX_ITEMS) : undefined,
  };
}

/** Returns the items' source text, so that no `*` of a glob is lost. Items of inner lists follow their parent. */
function readItems(list: List, offset: number, show: VisibleText['show']): string[] {
  return list.children.flatMap((item) => {
    const own = item.children
      .filter((child) => child.type !== 'list')
      .map((node) => showNode({ node, offset }, show))
      .join(' ')
      .replace(/\s+/g, ' ')
      .trim()
      .replace(/^\[[ xX]\] /, '')
      .slice(0, MAX_ITEM_LENGTH);
    return [
      ...(own === '' ? [] : [own]),
      ...innerLists(item).flatMap((inner) => readItems(inner, offset, show)),
    ];
  });
}

function innerLists(item: ListItem): List[] {
  return item.children.filter((child) => child.type === 'list');
}

/** Globs and module names are in inline code, or else the first word. An item that is a sentence names none. */
function readPaths(item: string): string[] {
  const inCode = [...item.matchAll(/`([^`]+)`/g)].map((match) => (match[1] ?? '').trim());
  if (inCode.length > 0) return inCode.filter((path) => path !== '');
  const [first = '', ...others] = item.replace(/\\([!-/:-@[-`{-~])/g, '$1').split(' ');
  const path = first.replace(/[,;:]$/, '');
  return others.length === 0 || /[/*]/.test(path) ? [path] : [];
}

function showNode(
  { node, offset }: { node: PlacedNode['node']; offset: number },
  show: VisibleText['show'],
): string {
  const start = node.position?.start.offset;
  const end = node.position?.end.offset;
  return start === undefined || end === undefined ? '' : show(offset + start, offset + end);
}
