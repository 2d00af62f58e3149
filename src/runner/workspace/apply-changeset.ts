import { type Changeset, type ChangesetProblem, checkChangeset } from '../../core/work/changeset.ts';
import { pruneEmptyParents } from '../disk/inside-directory.ts';
import { removeInside } from '../disk/set-aside.ts';
import { writeInside } from '../disk/write-inside.ts';

/** The changeset is unsafe to write to disk. Nothing was written. */
export class ChangesetRefusedError extends Error {
  override readonly name = 'ChangesetRefusedError';
  readonly problems: readonly ChangesetProblem[];

  constructor(problems: readonly ChangesetProblem[]) {
    const shown = problems.slice(0, 5).map(({ path, problem }) => `${path || 'all files'}: ${problem}`);
    const more = problems.length > 5 ? ` and ${problems.length - 5} more` : '';
    super(`The saved work cannot be restored: ${shown.join('; ')}${more}. Nothing was written.`);
    this.problems = problems;
  }
}

/**
 * Writes the files to a fresh checkout of the commit they were made for. The desk has decided whether they may be *committed*.
 * Here a changeset that is unsafe to write is refused as a whole, before the first write.
 */
export async function applyChangeset(
  worktree: string,
  changeset: Changeset,
  headSha: string,
): Promise<string[]> {
  if (changeset.base_sha !== headSha) {
    const problem = `it was made for the commit ${changeset.base_sha}, but ${headSha} is checked out`;
    throw new ChangesetRefusedError([
      {
        path: '',
        kind: 'unsafe',
        problem,
        remedy: 'Check out the commit the run builds on (input head_sha).',
      },
    ]);
  }
  const checked = checkChangeset(changeset, {
    protectedPaths: [],
    approvedPaths: [],
    approvedNames: changeset.files.map(({ path }) => path),
    maxFiles: 'off',
  });
  if (!checked.ok) throw new ChangesetRefusedError(checked.problems);
  // Deletions come first, because a file may have become a directory.
  for (const { path, content } of checked.files) {
    if (content !== null) continue;
    await removeInside(worktree, path);
    await pruneEmptyParents(worktree, path);
  }
  for (const { path, mode, content } of checked.files) {
    if (content === null) continue;
    await writeInside(worktree, path, {
      bytes: Buffer.from(content, 'base64'),
      mode: mode === '100755' ? 0o755 : 0o644,
    });
  }
  return checked.files.map(({ path }) => path);
}
