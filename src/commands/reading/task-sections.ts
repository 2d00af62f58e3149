import type { OutlineEntry } from './outline.ts';

const MAX_ITEMS = 200;
const MAX_ITEM_LENGTH = 2000;
const SECTIONS = new Set(['acceptance criteria', 'scope']);

interface TaskSections {
  title?: string;
  acceptanceCriteria: string[];
  scope?: string[];
}

/** Reads the title and the lists under `## Acceptance criteria` and `## Scope`. */
export function readSections(outline: readonly OutlineEntry[]): TaskSections {
  let title: string | undefined;
  let section: { name: string; depth: number } | undefined;
  const acceptanceCriteria: string[] = [];
  const scope: string[] = [];
  for (const entry of outline) {
    if (entry.kind === 'heading') {
      if (entry.depth === 1) title ??= entry.text;
      const name = entry.text.toLowerCase().replace(/\s*:$/, '');
      if (SECTIONS.has(name)) section = { name, depth: entry.depth };
      else if (section && entry.depth <= section.depth) section = undefined;
    } else {
      const item = entry.text.replace(/^\[[ xX]\] /, '').slice(0, MAX_ITEM_LENGTH);
      if (section?.name === 'acceptance criteria') acceptanceCriteria.push(item);
      else if (section) scope.push(...readPaths(item));
    }
  }
  return {
    title,
    acceptanceCriteria: acceptanceCriteria.slice(0, MAX_ITEMS),
    scope: scope.length > 0 ? scope.slice(0, MAX_ITEMS) : undefined,
  };
}

/** Globs and module names are in inline code, or else the first word. An item that is a sentence names none. */
function readPaths(item: string): string[] {
  const inCode = [...item.matchAll(/`([^`]+)`/g)].map((match) => (match[1] ?? '').trim());
  if (inCode.length > 0) return inCode.filter((path) => path !== '');
  const [first = '', ...others] = item.split(' ');
  const path = first.replace(/[,;:]$/, '');
  return others.length === 0 || /[/*]/.test(path) ? [path] : [];
}
