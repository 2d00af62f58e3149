import { splitShellWords } from './shell-words.ts';

/** The most files that one question to the gate may name. */
const MOST_PATHS = 1000;

/** Allows indentation as the CLI does. A content line that looks like a header is asked about needlessly. */
const HEADER = /^[\s\u0085]*\*\*\* (?:(?:Add|Update|Delete) File|Move to):/;
const BLANKS = ' \t\r';

/** The files a `*** Begin Patch` text adds, changes, deletes or moves to, each once. */
export function pathsOfPatch(patch: string): string[] {
  const paths = new Set<string>();
  for (const line of patch.split('\n')) {
    const header = HEADER.exec(line)?.[0];
    const path = header === undefined ? '' : withoutBlanks(line.slice(header.length));
    if (path) paths.add(path);
    // One more than the gate accepts, so that it refuses. A shorter list would let the rest through.
    if (paths.size > MOST_PATHS) break;
  }
  return [...paths];
}

/** The names by which a shell command can call for a patch. `SHELL_CALL` matches no other. */
export const SHELL_PATCH_NAMES = ['apply_patch', 'applypatch'];
const SHELL_CALL = /\bapply_?patch\b/;

/**
 * The files of a patch that a shell command passes to `apply_patch`, as Codex reads it: alone, or after `cd DIR &&`.
 * Empty if there is no patch.
 */
export function pathsOfShellPatch(command: string): string[] {
  const at = command.search(SHELL_CALL);
  if (at === -1) return [];
  const before = command.slice(0, at).trim();
  const words = before.endsWith('&&') ? splitShellWords(before.slice(0, -2)) : undefined;
  const directory = words?.length === 2 && words[0] === 'cd' ? words[1] : undefined;
  return pathsOfPatch(command).map((path) => pathFrom(directory, path));
}

/** The path resolved against `directory`, normalised. */
export function pathFrom(directory: string | undefined, path: string): string {
  if (!directory) return path;
  const full = path.startsWith('/') ? path : `${directory}/${path}`;
  const names: string[] = [];
  for (const name of full.split('/')) {
    if (name === '' || name === '.') continue;
    if (name === '..' && names.length > 0 && names.at(-1) !== '..') names.pop();
    else if (name !== '..' || !full.startsWith('/')) names.push(name);
  }
  return `${full.startsWith('/') ? '/' : ''}${names.join('/')}`;
}

/** A loop, because a pattern for trailing blanks starts again at each blank in the middle and takes quadratic time. */
function withoutBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && BLANKS.includes(text.charAt(start))) start += 1;
  while (end > start && BLANKS.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
