/** A text without the parts that its renderer does not show, and their number. */
interface Shown {
  text: string;
  hidden: number;
}

/** Languages that may follow a fence. Another word there is not shown to a reader, so it could be any text. */
const LANGUAGES = new Set(
  'bash bat c clojure cmake cpp cs csharp csv css dart diff docker dockerfile elixir elm erlang fsharp gherkin go gradle graphql groovy handlebars haskell hcl html http ini java javascript js json json5 jsonc jsx julia kotlin latex less lua make makefile markdown math md mermaid nginx nix objc objective-c ocaml patch perl php plaintext powershell prisma proto protobuf ps1 py python r rb ruby rs rust sass scala scss sh shell solidity sql svelte swift terraform tex text toml ts tsx txt typescript vb vue xml yaml yml zig zsh'.split(
    ' ',
  ),
);
/** Fences that GitHub draws: a reader sees a map or a solid, not the text. */
const DRAWN = new Set(['geojson', 'topojson', 'stl']);

/** The language of a fenced block, if it is one, and whether its first line holds more than that. */
export function readInfo(info: string): { language: string; hidden: number } {
  const [first = '', ...others] = info.trim().split(/\s+/);
  const language = LANGUAGES.has(first.toLowerCase()) ? first : '';
  return { language, hidden: others.length > 0 || language !== first ? 1 : 0 };
}

/** The content of a fenced block as GitHub shows it. */
export function showFence(info: string, content: string): Shown {
  const kind = (info.trim().split(/\s+/)[0] ?? '').toLowerCase();
  if (DRAWN.has(kind)) return { text: `(a ${kind} drawing)\n`, hidden: 1 };
  if (kind === 'mermaid') return showDiagram(content);
  return kind === 'math' ? showMath(content) : { text: content, hidden: 0 };
}

/** Comments, directives and texts for screen readers of a diagram are not drawn. */
function showDiagram(content: string): Shown {
  let hidden = 0;
  /** True within `accDescr { … }`. */
  let described = false;
  const lines = content.split('\n').filter((line) => {
    const starts = /^\s*(?:%%|accTitle\b|accDescr\b)/.test(line);
    const out = described || starts;
    if (starts && !described) hidden += 1;
    if (/^\s*accDescr\s*\{/.test(line)) described = true;
    if (described && line.includes('}')) described = false;
    return !out;
  });
  return { text: lines.join('\n'), hidden };
}

/** Comments, phantoms and definitions of a formula are not drawn. */
const UNDRAWN =
  /\\[hv]?phantom\s*\{[^{}]*\}|\\(?:label|cssId|class|require)\s*\{[^{}]*\}|\\(?:def|newcommand|renewcommand|let)\b[^\n]*/g;

export function showMath(content: string): Shown {
  let hidden = 0;
  const count = () => {
    hidden += 1;
    return '';
  };
  const text = content
    .replace(/(\\.)|%[^\n]*/g, (_, escaped?: string) => escaped ?? count())
    .replace(UNDRAWN, count);
  return { text, hidden };
}
