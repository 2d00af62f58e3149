import { showDiagram } from './show-diagram.ts';
import { showMath } from './show-math.ts';
import type { ShownPart } from './shown-part.ts';

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
export function showFence(info: string, content: string): ShownPart {
  const kind = (info.trim().split(/\s+/)[0] ?? '').toLowerCase();
  if (DRAWN.has(kind)) return { text: `(a ${kind} drawing)\n`, hidden: 1 };
  if (kind === 'mermaid') return showDiagram(content);
  return kind === 'math' ? showMath(content) : { text: content, hidden: 0 };
}
