import { checkWorktreePath } from './worktree-path.ts';

interface ChangedPath {
  path: string;
  status: 'added' | 'modified' | 'deleted';
}

/** Characters that HFS+ ignores when it compares names: `.g\u200cit` is `.git` on macOS. */
const IGNORED_BY_HFS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])$/i;

/** Finds paths that, on any system where the commit may be checked out, name another file than they seem to or collide with another path. */
export function checkChangesetPaths(files: readonly ChangedPath[]): { path: string; problem: string }[] {
  const problems = files.flatMap(({ path, status }) => {
    // A file that Windows cannot have may be removed.
    const problem = pathProblem(path) ?? (status === 'deleted' ? undefined : windowsProblem(path));
    return problem ? [{ path, problem }] : [];
  });
  return [...problems, ...findCollisions(files)];
}

function pathProblem(path: string): string | undefined {
  const checked = checkWorktreePath(path);
  if (!checked.ok) return checked.problem;
  if (checked.path !== path) return `the path must be spelled ${checked.path}`;
  if (!path.isWellFormed() || /[\u0000-\u001f\u007f]/.test(path)) {
    return 'the path contains control or broken characters';
  }
  if (path.includes('\\')) return 'the path contains a backslash, which separates names on Windows';
  if (path.split('/').some(isDisguisedGit)) return 'a name in the path is `.git` on Windows or macOS';
  return undefined;
}

/** `con.txt` is the console, `a:b` a stream of `a` or a path on a drive, and `a.` is the file `a`. */
function windowsProblem(path: string): string | undefined {
  const names = path.split('/');
  if (names.some((name) => name.includes(':')))
    return 'the path contains a colon, which names a drive or a stream on Windows';
  if (names.some((name) => /[. ]$/.test(name)))
    return 'a name in the path ends with a dot or a blank, which Windows ignores';
  const device = names.find((name) => DEVICE.test((name.split('.')[0] ?? '').trimEnd()));
  return device === undefined ? undefined : `${JSON.stringify(device)} is the name of a device on Windows`;
}

function isDisguisedGit(name: string): boolean {
  // Windows ignores trailing dots and blanks, and treats text after a colon as a stream of the same file.
  const onWindows = (name.split(':')[0] ?? '').replace(/[. ]+$/, '').toLowerCase();
  const onMac = name.replace(IGNORED_BY_HFS, '').toLowerCase();
  return onWindows === '.git' || /^git~\d+$/.test(onWindows) || onMac === '.git';
}

/** Deleted paths do not collide, because a file deleted under one spelling and added under another is a rename. */
function findCollisions(files: readonly ChangedPath[]): { path: string; problem: string }[] {
  const problems: { path: string; problem: string }[] = [];
  const exact = new Set<string>();
  const kept = new Map<string, string>();
  for (const { path, status } of files) {
    if (exact.has(path)) problems.push({ path, problem: 'the path is listed twice' });
    exact.add(path);
    if (status === 'deleted') continue;
    const other = kept.get(fold(path));
    if (other !== undefined && other !== path)
      problems.push({ path, problem: `it is the same file as ${other} where case is ignored` });
    kept.set(fold(path), path);
  }
  for (const path of kept.values()) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const parent = kept.get(fold(path.slice(0, at)));
      if (parent !== undefined)
        problems.push({ path, problem: `${parent} is a file, so nothing can be below it` });
    }
  }
  return problems;
}

function fold(path: string): string {
  return path.normalize('NFC').toLowerCase();
}
