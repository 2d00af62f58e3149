import type { ShownPart } from './shown-part.ts';

const KINDS =
  /^\s*(?:graph|flowchart|sequenceDiagram|stateDiagram(?:-v2)?|classDiagram|erDiagram|gantt|pie|journey|mindmap|timeline|gitGraph)\b/;

/** Styles make labels invisible; settings, links, classes and tooltips hold text that is not drawn. */
const MAY_HIDE = [
  /%%|:::|~~~|@\{/,
  /(?:^|;)[ \t]*(?:---|click|href|callback|classDef|cssClass|style|linkStyle|links?|properties|details|Update\w+Style)\b/m,
  /(?:^|;)[ \t]*---/m,
  /(?:^|;)[ \t]*class[ \t]+[^\s;{:]+[ \t]+[^\s;{:]+[ \t]*(?:;|$)/m,
  // Mark-up within a label. `<<interface>>` and arrows are none.
  /(?<!<)<(?!br\s*\/?>)(?:!--|\/?[a-z])/i,
  // A name that is only shown where it has no label. A short one says nothing.
  /(?<![\w-])[\w-]{21,}[ \t]*(?:[[({>]|as\b)/,
  /(?:^|;)[ \t]*subgraph[ \t][^\n;[]{21,}\[/m,
];

/** A diagram without comments and texts for screen readers. If it may draw less than it says, nothing of it is left. */
export function showDiagram(content: string): ShownPart {
  let hidden = 0;
  /** True within `accDescr { … }`. */
  let described = false;
  const isDrawnLine = (line: string): boolean => {
    if (!described && !line.includes('%%') && !line.includes('acc')) return true;
    const starts = /^\s*(?:%%(?!\{)|accTitle\b|accDescr\b)/.test(line);
    const out = described || starts;
    if (starts && !described) hidden += 1;
    if (/^\s*accDescr\s*\{/.test(line)) described = true;
    if (described && line.includes('}')) described = false;
    return !out;
  };
  const text = content.split('\n').filter(isDrawnLine).join('\n');
  const isPlain = KINDS.test(text) && !MAY_HIDE.some((pattern) => pattern.test(text));
  return isPlain ? { text, hidden } : { text: '(a diagram)\n', hidden: hidden + 1 };
}
