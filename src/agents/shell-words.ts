/**
 * Joins a program and its arguments into one line for `sh`, for hooks that are configured by a line instead of a list.
 */
export function quoteShellWords(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}

/** A part of a word: quoted by `'` or `"`, escaped by a backslash, or bare characters. */
const PART = /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\]+)|(\s+)/y;

/** The words of a line as `sh` would see them, without expansion. Undefined if a quote is not closed. */
export function splitShellWords(line: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  PART.lastIndex = 0;
  while (PART.lastIndex < line.length) {
    const part = PART.exec(line);
    if (!part) return undefined;
    const [, single, double, escaped, bare, space] = part;
    if (space !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + (single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? escaped ?? bare ?? '');
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}

/** The command inside `sh -lc '…'`, as the agent and people know it. */
export function unwrapShell(line: string): string {
  if (!/^\S*sh\s+-l?c\s/.test(line)) return line;
  const words = splitShellWords(line);
  return words?.length === 3 ? (words[2] ?? line) : line;
}
