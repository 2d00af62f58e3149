import { isMap, isScalar, isSeq, parseDocument, visit } from 'yaml';

const MAX_LENGTH = 16_384;

interface FrontMatter {
  title?: string;
  scope?: string[];
  /** The text after the front matter. */
  body: string;
}

/**
 * Reads the YAML between two `---` lines at the very beginning, if there is any. Only `title` and `scope` have a
 * meaning here, because other tools keep their own keys in the same block.
 */
export function readFrontMatter(text: string): FrontMatter | { problem: string } {
  const opening = /^---[ \t]*\n/.exec(text);
  const closing = opening && /\n(?:---|\.\.\.)[ \t]*(?:\n|$)/.exec(text);
  if (!opening || !closing) return { body: text };
  const yaml = text.slice(opening[0].length, closing.index + 1);
  const body = text.slice(closing.index + closing[0].length);
  if (yaml.length > MAX_LENGTH)
    return { problem: `The front matter is larger than ${MAX_LENGTH / 1024} KiB: shorten it.` };
  return readYaml(yaml, text, body);
}

function readYaml(yaml: string, text: string, body: string): FrontMatter | { problem: string } {
  const document = parseDocument(yaml, { schema: 'failsafe', prettyErrors: true, logLevel: 'silent' });
  const [error] = document.errors;
  if (error) {
    // The parser reports an unclosed bracket after the last line.
    const line = Math.min(error.linePos?.[0].line ?? 1, yaml.trimEnd().split('\n').length) + 1;
    const what = error.message.split('\n', 1)[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? '';
    return {
      problem: `The front matter is not valid YAML, line ${line}: ${what}. Fix that line, or remove the front matter.`,
    };
  }
  let aliases = false;
  visit(document, {
    Alias() {
      aliases = true;
      return visit.BREAK;
    },
  });
  if (aliases) return { problem: 'The front matter uses a YAML alias (`*name`): write the value out.' };
  // Two rulers with a sentence between them are not front matter.
  if (!isMap(document.contents)) return { body: text };
  const title = readStrings(document.contents.get('title', true));
  const scope = readStrings(document.contents.get('scope', true));
  if (!title || title.length > 1)
    return { problem: 'In the front matter `title` is not a text: write `title: what to build`.' };
  if (!scope)
    return {
      problem: 'In the front matter `scope` is not a text or a list of texts: write `scope: ["src/**"]`.',
    };
  return { title: title[0], scope: scope.length > 0 ? scope : undefined, body };
}

/** A text or a list of texts as a list without empty items. Undefined for anything else. */
function readStrings(node: unknown): string[] | undefined {
  if (node === undefined || node === null) return [];
  if (isScalar(node)) return [String(node.value ?? '').trim()].filter((text) => text !== '');
  if (!isSeq(node)) return undefined;
  const lists = node.items.map((item) => (isScalar(item) ? readStrings(item) : undefined));
  return lists.includes(undefined) ? undefined : lists.flatMap((list) => list ?? []);
}
