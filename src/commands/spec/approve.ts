import type { Command } from '../../core/contracts/command.ts';
import { hasInvisible } from '../reading/invisible-characters.ts';
import { opensQuote, readQuoted } from '../reading/quoted-text.ts';
import { showWord } from '../reading/words.ts';
import type { CommandSpec, ParsedCommand } from './command-spec.ts';

const MAX_FILES = 10_000;
const MAX_PATHS = 100;
const MAX_PATH_LENGTH = 500;
const EXAMPLE = '/approve files=30';
const PATHS_HINT = 'After `paths=` come paths or globs, separated by commas. Put one with spaces in quotes.';

type Approve = Extract<Command, { name: 'approve' }>;
type Problem = Extract<ParsedCommand, { ok: false }>;

export const approveCommand: CommandSpec = {
  name: 'approve',
  usage: '/approve [files=N] [paths=GLOB,…]',
  summary: 'approve the proposed file, up to N files, or more paths',
  example: EXAMPLE,
  takes: 'words',
  parse({ line }) {
    const command: Approve = { name: 'approve' };
    const text = line.trim().replace(/[.!]$/u, '');
    let at = 0;
    while (at < text.length) {
      const word = /\s*(?:(files|paths)=)?/iuy;
      word.lastIndex = at;
      const match = word.exec(text);
      const key = match?.[1]?.toLowerCase();
      const start = word.lastIndex;
      if (key === undefined)
        return start >= text.length ? { ok: true, command } : refuseWord(text.slice(start));
      const read = key === 'files' ? readFiles(text, start, command) : readPaths(text, start, command);
      if (typeof read !== 'number') return read;
      at = read;
    }
    return { ok: true, command };
  },
};

function readFiles(text: string, start: number, command: Approve): number | Problem {
  if (command.files !== undefined) return refuse('`files=` is given twice.', EXAMPLE);
  const word = /^[^\s,]*/u.exec(text.slice(start))?.[0] ?? '';
  const files = /^\d+$/.test(word) ? Number(word) : 0;
  if (files < 1 || files > MAX_FILES) {
    const shown = showWord(word) ?? 'That number';
    return refuse(
      `${shown} is out of range: \`files=\` takes a whole number from 1 to ${MAX_FILES}.`,
      EXAMPLE,
    );
  }
  command.files = files;
  return start + word.length;
}

function readPaths(text: string, start: number, command: Approve): number | Problem {
  if (command.paths !== undefined) return refusePaths('`paths=` is given twice.');
  const paths: string[] = [];
  let at = start;
  for (;;) {
    const item = readPath(text, at);
    if ('problem' in item) return item;
    const problem = checkPath(item.value, paths.length);
    if (problem) return problem;
    paths.push(item.value);
    at = item.end;
    if (text.charAt(at) !== ',') break;
    at += 1;
  }
  command.paths = paths;
  return at;
}

function readPath(text: string, at: number): { value: string; end: number } | Problem {
  if (opensQuote(text, at)) {
    const quoted = readQuoted(text, at);
    if (!quoted.closed) return refusePaths('A quote after `paths=` is not closed.');
    if (!/^[\s,]?$/u.test(text.charAt(quoted.end)))
      return refusePaths('A quoted path must be followed by a comma, a space or nothing.');
    return quoted;
  }
  const inCode = /^`([^`]*)`(?=[\s,]|$)/u.exec(text.slice(at, at + MAX_PATH_LENGTH + 3));
  if (inCode) return { value: inCode[1] ?? '', end: at + inCode[0].length };
  // A comma inside braces belongs to the glob: `src/{a,b}/**`.
  const value = /^(?:\{[^{}\s]*\}|[^\s,])*/u.exec(text.slice(at, at + MAX_PATH_LENGTH + 1))?.[0] ?? '';
  return { value, end: at + value.length };
}

function checkPath(path: string, before: number): Problem | undefined {
  if (path.trim() === '') return refusePaths('`paths=` needs at least one path, and no empty ones.');
  if (before >= MAX_PATHS) return refusePaths(`\`paths=\` takes up to ${MAX_PATHS} paths.`);
  if (path.length > MAX_PATH_LENGTH || hasInvisible(path))
    return refusePaths(`A path may have up to ${MAX_PATH_LENGTH} characters, all of them visible.`);
  if (/^(?:[/\\~]|[A-Za-z]:)/.test(path) || path.split(/[/\\]/).includes('..'))
    return refusePaths('Paths must be inside the repository: no leading `/` and no `..`.');
  return undefined;
}

function refuseWord(rest: string): Problem {
  if (/^(?:files|paths)\s+=/iu.test(rest)) return refuse('Leave out the spaces around `=`.', EXAMPLE);
  const shown = showWord(rest.split(/\s/u, 1)[0] ?? '') ?? 'One of the words';
  return refuse(
    `${shown} is not an option of \`/approve\`, which takes \`files=N\` and \`paths=GLOB,…\`.`,
    EXAMPLE,
  );
}

function refusePaths(problem: string): Problem {
  return { ok: false, problem, hint: PATHS_HINT, isAboutPaths: true };
}

function refuse(problem: string, suggestion: string): Problem {
  return { ok: false, problem, suggestion };
}
