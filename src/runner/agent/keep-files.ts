import { readInside } from '../disk/read-inside.ts';
import { writeInside } from '../disk/write-inside.ts';

const MAX_BYTES = 1024 * 1024;

/** Runs work that may rewrite these plain files of the worktree, and restores them afterwards. */
export async function keepFiles<Result>(
  worktree: string,
  paths: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  const before = await Promise.all(paths.map((path) => readInside(worktree, path, MAX_BYTES)));
  try {
    return await work();
  } finally {
    for (const [at, path] of paths.entries()) {
      const kept = before[at];
      if (!kept?.ok) continue;
      const now = await readInside(worktree, path, MAX_BYTES);
      if (!now.ok || !now.bytes.equals(kept.bytes)) await writeInside(worktree, path, kept);
    }
  }
}
