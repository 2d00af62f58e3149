import picomatch from 'picomatch';
import { checkWorktreePath } from '../core/worktree-path.ts';

/** Beyond these a pattern matches nothing, so that a person is asked: matching takes time to the power of its wildcards. */
const MAX_PATTERN = 256;
const MAX_STARS_IN_NAME = 3;
const MAX_GLOBSTARS = 2;
const MAX_STARS = 5;
const MAX_MATCHED_PATH = 1024;

const GLOB = /[*?[\]{}!()]/;

export type WriteVerdict =
  | { ok: true }
  | { ok: false; why: 'invalid_path'; path: string; problem: string }
  /** E-5: `changed` are the files so far, `path` the one that would be too many. */
  | { ok: false; why: 'file_limit'; path: string; limit: number; changed: string[] }
  /** E-6 */
  | { ok: false; why: 'out_of_scope'; path: string; scope: string[] };

/** May this path be written, given what was changed so far? Scope first: a file that is not part of the task is not one too many. */
export function judgeWrite(write: {
  path: string;
  changed: ReadonlySet<string>;
  maxFiles: number | 'off';
  approvedPaths: readonly string[];
  scope: readonly string[] | undefined;
}): WriteVerdict {
  const checked = checkWorktreePath(write.path);
  if (!checked.ok) return { ok: false, why: 'invalid_path', path: write.path, problem: checked.problem };
  const { path } = checked;
  if (write.approvedPaths.some((pattern) => matchesGlob(pattern, path))) return { ok: true };
  if (write.scope !== undefined && !isInScope(path, write.scope)) {
    return { ok: false, why: 'out_of_scope', path, scope: [...write.scope] };
  }
  const { changed, maxFiles } = write;
  if (maxFiles !== 'off' && !changed.has(path) && changed.size >= maxFiles) {
    return { ok: false, why: 'file_limit', path, limit: maxFiles, changed: [...changed].sort() };
  }
  return { ok: true };
}

/** An entry is a glob, a file or directory, or the name of a module. */
export function isInScope(path: string, scope: readonly string[]): boolean {
  return scope.some((entry) => matchesGlob(entry, path) || matchesModule(entry, path));
}

/** A module's name stands for every directory and every file of that name, wherever it is. */
function matchesModule(entry: string, path: string): boolean {
  const name = entry.trim().toLowerCase();
  if (name === '' || name.includes('/') || GLOB.test(name)) return false;
  const names = path.toLowerCase().split('/');
  const file = names.pop() ?? '';
  // `authentication.test.ts` belongs to `authentication` as `authentication.ts` does.
  return (
    names.includes(name) ||
    file.replace(/(?<=.)\..*$/, '') === name ||
    file.replace(/(?<=.)\.[^.]*$/, '') === name
  );
}

function matchesGlob(entry: string, path: string): boolean {
  const pattern = entry
    .trim()
    .replace(/^(?:\.\/)+/, '')
    .replace(/\/+$/, '');
  // Also a name that looks like a glob, such as `[id].tsx`.
  if (pattern === path) return true;
  if (pattern === '' || pattern.length > MAX_PATTERN) return false;
  if (!GLOB.test(pattern)) return path === pattern || path.startsWith(`${pattern}/`);
  if (path.length > MAX_MATCHED_PATH || isTooWild(pattern)) return false;
  return picomatch(pattern, { dot: true, noextglob: true, nonegate: true, strictBrackets: false })(path);
}

function isTooWild(pattern: string): boolean {
  const count = (text: string, stars: RegExp) => (text.match(stars) ?? []).length;
  return (
    count(pattern, /\*+/g) > MAX_STARS ||
    count(pattern, /\*\*+/g) > MAX_GLOBSTARS ||
    pattern.split('/').some((name) => count(name, /\*+/g) > MAX_STARS_IN_NAME)
  );
}
