const INTERPRETER =
  /^(?:node|deno|bun|tsx|ts-node|python[\d.]*|pypy\d?|ruby|perl|php|bash|sh|zsh|dash|source|\.)$/;
/** Programs and words that stand before the program that is meant. */
const LAUNCHER =
  /^(?:npx|bunx|env|time|exec|command|nice|cross-env|dotenv|sudo|uv|poetry|pipenv|bundle|run|--)$/;
/** Options whose value is a file that decides what is checked. */
const FILE_OPTION =
  /^(?:-c|-f|-p|-r|--(?:config|project|file|require|import|loader|rcfile|makefile|setup[\w-]*|config-file))$/;
const MAX_COMMAND = 10_000;

/**
 * The files that the commands run or are configured by, also where a command names a script of the manifest. Files that are only
 * an argument (`eslint src/a.ts`) are the code that is checked.
 */
export function filesRunBy(
  commands: readonly string[],
  scripts: Readonly<Record<string, string>>,
): ReadonlySet<string> {
  const found = new Set<string>();
  const seen = new Set<string>();
  const open = [...commands];
  for (let command = open.pop(); command !== undefined; command = open.pop()) {
    for (const words of splitCommand(command.slice(0, MAX_COMMAND))) {
      for (const path of namedIn(words)) found.add(path);
      for (const name of words.flatMap((word) => [word, `pre${word}`, `post${word}`])) {
        const script = Object.hasOwn(scripts, name) && !seen.has(name) ? scripts[name] : undefined;
        if (script === undefined) continue;
        seen.add(name);
        open.push(script);
      }
    }
  }
  return found;
}

/** One list of words per simple command. */
function splitCommand(text: string): string[][] {
  return text.split(/[;&|()\n]+/).map((part) => part.split(/[\s"'`]+/).filter((word) => word !== ''));
}

function namedIn(words: readonly string[]): string[] {
  const values = words.flatMap((word, index) => {
    const [option = '', value] = word.split('=', 2);
    if (!FILE_OPTION.test(option)) return [];
    return [value ?? words[index + 1] ?? ''];
  });
  const rest = words.filter((word) => !/^\w+=/.test(word));
  const program = rest.findIndex((word) => !LAUNCHER.test(word) && !word.startsWith('-'));
  const name = rest[program] ?? '';
  const started = INTERPRETER.test(name)
    ? rest.slice(program + 1).find((word) => !word.startsWith('-') && !LAUNCHER.test(word))
    : name;
  return [...values, started ?? '']
    .map((path) => path.replace(/^(?:\.\/)+/, ''))
    .filter((path) => path !== '');
}
