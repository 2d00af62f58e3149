import type { Code, Nodes, Table } from 'mdast';
import type { Cut } from './cuts.ts';

/** A node's position in the whole text. */
interface NodePosition {
  source: string;
  /** The number to add to the node's own offsets. */
  offset: number;
  start: number;
  end: number;
}

/**
 * Cuts the parts of a node that are not rendered: definitions, titles, descriptions of images, words after a fence's
 * language.
 */
export function cutMarkdown(node: Nodes, position: NodePosition, footnotes: ReadonlySet<string>): Cut[] {
  const { start, end, offset } = position;
  switch (node.type) {
    case 'definition':
      return [{ start, end, instead: '' }];
    case 'footnoteDefinition':
      return footnotes.has(node.identifier.toLowerCase()) ? [] : [{ start, end, instead: '' }];
    case 'image':
      return [{ start, end, instead: `![image](${plainAddress(node.url)})` }];
    case 'imageReference':
      return [{ start, end, instead: '[image]' }];
    case 'link': {
      const last = node.children.at(-1)?.position?.end.offset;
      if (!node.title || last === undefined) return [];
      return [{ start: offset + last, end, instead: `](${plainAddress(node.url)})` }];
    }
    case 'code':
      return cutNestedInfo(node, position);
    case 'table':
      return cutExtraCells(node, offset);
    default:
      return [];
  }
}

/** The first line of a fenced block is not rendered after the language. */
export function cutInfo(line: string, offset: number): Cut[] {
  const shown = /^\s*(?:`{3,}|~{3,})[ \t]*[\w+#.-]{0,30}/.exec(line)?.[0] ?? '';
  return [{ start: offset + shown.length, end: offset + line.length, instead: '' }];
}

/** The labels of the footnotes that the text refers to. Other footnotes are not rendered. */
export function findFootnotes(source: string): Set<string> {
  return new Set(
    [...source.matchAll(/\[\^([^\]\s]{1,200})\](?!:)/g)].map((match) => (match[1] ?? '').toLowerCase()),
  );
}

function cutNestedInfo(code: Code, { source, start }: NodePosition): Cut[] {
  if (!code.lang) return [];
  const newline = source.indexOf('\n', start);
  return cutInfo(source.slice(start, newline < 0 ? source.length : newline), start);
}

/** A rendered table has no cells beyond those of its heading. */
function cutExtraCells(table: Table, offset: number): Cut[] {
  const columns = table.children[0]?.children.length ?? 0;
  return table.children.flatMap((row) => {
    const first = row.children[columns]?.position?.start.offset;
    const end = row.position?.end.offset;
    return first === undefined || end === undefined
      ? []
      : [{ start: offset + first, end: offset + end, instead: '|' }];
  });
}

function plainAddress(url: string): string {
  return url.replace(/[\s<>()]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
