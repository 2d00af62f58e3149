import { lstat } from 'node:fs/promises';
import { join } from 'node:path';

/** When each path was last changed. 0 for a path that does not exist. */
export async function changeTimes(
  worktree: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const times = paths.map(async (path): Promise<[string, number]> => {
    const stats = await lstat(join(worktree, path)).catch(() => undefined);
    return [path, stats?.ctimeMs ?? 0];
  });
  return new Map(await Promise.all(times));
}

/**
 * Orders the changed files for the file limit, so that the ones over the limit come last. Files of earlier turns come before new
 * ones, and among them those that a person approved come last, because they must not use up the limit of the others. New files
 * are ordered by the time they were written, because the first ones were within the limit.
 */
export function orderChanges(
  paths: readonly string[],
  { atStart, since, isApproved }: ChangeFacts,
): string[] {
  const group = (path: string) => (!atStart.has(path) ? 2 : isApproved(path) ? 1 : 0);
  const time = (path: string) => atStart.get(path) ?? since.get(path) ?? 0;
  return paths.toSorted((a, b) => group(a) - group(b) || time(a) - time(b));
}

interface ChangeFacts {
  /** Files changed before this turn, and when they were written. */
  atStart: ReadonlyMap<string, number>;
  /** The same for files of this turn. */
  since: ReadonlyMap<string, number>;
  isApproved(path: string): boolean;
}
