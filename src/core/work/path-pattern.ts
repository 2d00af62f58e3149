/** A pattern beyond these limits matches nothing. A person is then asked, and matching stays cheap. */
const MAX_PATTERN = 256;
const MAX_STARS = 5;
const MAX_ALTERNATIVES = 64;
const MAX_MATCHED_PATH = 1024;

const GLOB = /[*?[\]{}]/;

/** True if the path needs no quotes in a command and contains no character with a meaning in a pattern. */
export function isPlainPath(path: string): boolean {
  return /^\.?[\w@+-][\w./@+-]*$/.test(path);
}

/** An entry of the scope is a glob, a file, a directory, or the name of a module. */
export function isInScope(path: string, scope: readonly string[]): boolean {
  return scope.some((entry) => matchesPattern(entry, path) || matchesModule(entry, path));
}

/**
 * `*` and `?` match within one name, `**` matches across names, `[ab]` and `{a,b}` work as in a shell. A path without wildcards
 * also matches everything below it.
 */
export function matchesPattern(entry: string, path: string): boolean {
  const pattern = trimPattern(entry);
  // Before the pattern is parsed, so that a name that looks like a glob, such as `[id].tsx`, matches itself.
  if (pattern === path) return true;
  if (pattern === '' || pattern.length > MAX_PATTERN || path.length > MAX_MATCHED_PATH) return false;
  if (!GLOB.test(pattern)) return path.startsWith(`${pattern}/`);
  if (countStars(pattern) > MAX_STARS) return false;
  const names = path.split('/');
  return expandBraces(pattern).some((one) => matchNames(one.split('/'), names));
}

/** False if no path can match. A protecting pattern that matches nothing has to be reported. */
export function isUsablePattern(entry: string): boolean {
  if (entry.length > MAX_PATTERN || /^\s*!|\\/.test(entry)) return false;
  const pattern = trimPattern(entry);
  if (countStars(pattern) > MAX_STARS || expandBraces(pattern).length === 0) return false;
  return pattern.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
}

export function trimPattern(entry: string): string {
  return entry
    .trim()
    .replace(/^(?:\.\/)+/, '')
    .replace(/\/+$/, '');
}

function countStars(pattern: string): number {
  return (pattern.match(/\*+/g) ?? []).length;
}

/** A module's name matches every directory and every file (without extension) of that name, at any depth. */
function matchesModule(entry: string, path: string): boolean {
  const name = entry.trim().toLowerCase();
  if (name === '' || name.includes('/') || GLOB.test(name)) return false;
  const names = path.toLowerCase().split('/');
  const file = names.pop() ?? '';
  const stems = [file.replace(/(?<=.)\..*$/, ''), file.replace(/(?<=.)\.[^.]*$/, '')];
  return names.includes(name) || stems.includes(name);
}

function matchNames(patterns: readonly string[], names: readonly string[]): boolean {
  return matchAll(
    patterns.map((pattern): Token => (pattern === '**' ? 'any' : readName(pattern))),
    names,
  );
}

type Token = 'any' | ((item: string) => boolean);

/** Greedy matching that backtracks only to the last `any`, so that the steps are bounded by the product of both lengths. */
function matchAll(tokens: readonly Token[], items: readonly string[]): boolean {
  let token = 0;
  let item = 0;
  let any = -1;
  let resumeAt = 0;
  while (item < items.length) {
    const wanted = tokens[token];
    if (wanted === 'any') {
      any = token;
      resumeAt = item;
      token += 1;
    } else if (wanted?.(items[item] ?? '')) {
      token += 1;
      item += 1;
    } else if (any >= 0) {
      token = any + 1;
      resumeAt += 1;
      item = resumeAt;
    } else return false;
  }
  return tokens.slice(token).every((rest) => rest === 'any');
}

function readName(pattern: string): Token {
  const tokens = tokenize(pattern);
  return (name) => matchAll(tokens, [...name]);
}

function tokenize(pattern: string): Token[] {
  return [...pattern.matchAll(/\*+|\[[!^]?[^\]]+\]|[\s\S]/gu)].map(([part]): Token => {
    if (part.startsWith('*')) return 'any';
    if (part === '?') return () => true;
    if (part.length > 2 && part.startsWith('[')) return readSet(part.slice(1, -1));
    return (letter) => letter === part;
  });
}

function readSet(text: string): (letter: string) => boolean {
  const negated = /^[!^]/.test(text);
  const ranges = [...text.slice(negated ? 1 : 0).matchAll(/([\s\S])-([\s\S])|[\s\S]/gu)];
  return (letter) =>
    negated !==
    ranges.some(([one, from, to]) => (from && to ? from <= letter && letter <= to : one === letter));
}

/** Expands the innermost braces first. Braces without a comma, such as `{a}`, are literal. */
export function expandBraces(pattern: string): string[] {
  let expanded = [pattern];
  for (;;) {
    const next = expanded.flatMap((one) => {
      const found = /\{([^{}]*,[^{}]*)\}/.exec(one);
      if (!found) return [one];
      const [before, after] = [one.slice(0, found.index), one.slice(found.index + found[0].length)];
      return (found[1] ?? '').split(',').map((choice) => `${before}${choice}${after}`);
    });
    if (next.length > MAX_ALTERNATIVES) return [];
    if (next.length === expanded.length) return next;
    expanded = next;
  }
}
