import { isMap, isPair, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { type ConfigProblem, showKey } from './config-problem.ts';

/** The line of the key or list item at a path. A path that does not exist has the line of its nearest ancestor. */
export type LineOf = (path: readonly PropertyKey[]) => number | undefined;

type ReadYaml = { ok: true; value: unknown; lineOf: LineOf } | { ok: false; problems: ConfigProblem[] };

/** Reads plain YAML: no aliases, and each key once. It returns at most `max` errors of the parser and `max` other mistakes. */
export function readYaml(text: string, max: number): ReadYaml {
  const lines = new LineCounter();
  // The parser's own check for repeated keys takes quadratic time, so `visit` below does it.
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false, prettyErrors: false });
  const lineAt = (node: { range?: readonly number[] | null }) => lines.linePos(node.range?.[0] ?? 0).line;
  const problems: ConfigProblem[] = document.errors.slice(0, max).map((error) => ({
    line: lines.linePos(error.pos[0]).line,
    key: showKey([]),
    allowed: `YAML: ${error.message.split('\n')[0]}`,
  }));
  const most = problems.length + max;
  const add = (node: Node, path: readonly string[], allowed: string) => {
    problems.push({ line: lineAt(node), key: showKey(path), allowed });
    return problems.length < most ? undefined : visit.BREAK;
  };
  visit(document, {
    Alias(_key, node, ancestors) {
      return add(node, keysOf(ancestors), `no YAML aliases; write the value of *${node.source} out`);
    },
    Map(_key, node, ancestors) {
      const seen = new Set<string>();
      let end: symbol | undefined;
      for (const { key } of node.items) {
        if (end) break;
        if (!isScalar(key)) {
          end = add(node, keysOf(ancestors), 'keys that are plain names');
          continue;
        }
        const name = String(key.value);
        if (seen.has(name)) end = add(key, [...keysOf(ancestors), name], 'each key once');
        seen.add(name);
      }
      return end;
    },
  });
  if (problems.length > 0) return { ok: false, problems };
  const lineOf: LineOf = (path) => {
    const node = nearestNode(document.contents, path);
    return node?.range ? lineAt(node) : undefined;
  };
  return { ok: true, value: document.toJS() ?? {}, lineOf };
}

/** The keys that lead to a node. Positions in lists are left out. */
function keysOf(ancestors: readonly unknown[]): string[] {
  return ancestors.flatMap((ancestor) =>
    isPair(ancestor) && isScalar(ancestor.key) ? [String(ancestor.key.value)] : [],
  );
}

function nearestNode(root: unknown, path: readonly PropertyKey[]): Node | undefined {
  let node = root;
  let nearest = (root as Node | null) ?? undefined;
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(part));
      if (!pair) return nearest;
      nearest = pair.key as Node;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(part)];
      if (node) nearest = node as Node;
    } else return nearest;
  }
  return nearest;
}
