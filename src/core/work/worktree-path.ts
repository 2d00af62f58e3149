/** The limits of common file systems. They also keep the matching of hostile paths cheap. */
const MAX_PATH = 4096;
const MAX_NAME = 255;

type CheckedPath = { ok: true; path: string } | { ok: false; problem: string };

/**
 * Normalises a path so that each file of a worktree has one spelling: relative, `/` between names, no `.` and no `..`. A path
 * that could name a file elsewhere, or git's own files, is refused.
 */
export function checkWorktreePath(path: string): CheckedPath {
  if (path === '') return refuse('the path is empty');
  if (path.includes('\0')) return refuse('the path contains a NUL character');
  if (path.length > MAX_PATH) return refuse(`the path is longer than ${MAX_PATH} characters`);
  if (path.startsWith('/')) return refuse('the path is absolute, not relative to the worktree');
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  if (names.length === 0) return refuse('the path names the worktree itself');
  if (names.includes('..')) return refuse('the path contains `..`');
  if (names.some(isGitName)) return refuse("the path is inside git's own `.git`");
  if (names.some((name) => name.length > MAX_NAME))
    return refuse(`a name is longer than ${MAX_NAME} characters`);
  return { ok: true, path: names.join('/') };
}

/** Agents also use absolute paths. A path outside the worktree stays absolute, so that `checkWorktreePath` refuses it. */
export function relativeToWorktree(worktree: string, path: string): string {
  const root = worktree.endsWith('/') ? worktree : `${worktree}/`;
  return path.startsWith(root) ? path.slice(root.length) : path;
}

/** Ignores case, because `.GIT` is the same directory on a file system that ignores case. */
export function isGitName(name: string): boolean {
  return name.toLowerCase() === '.git';
}

function refuse(problem: string): CheckedPath {
  return { ok: false, problem };
}
