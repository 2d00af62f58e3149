import { lstat } from 'node:fs/promises';
import { join } from 'node:path';

/** When each path was last written; what is gone has no time. */
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
 * The file over the limit is a new one, never the work of an earlier turn that happens to stand behind it in the list; nor one
 * whose place a file that a person approved beyond the limit would take. Of several found in one look, those written first
 * are the ones that were allowed.
 */
export function earlierFirst(
  paths: readonly string[],
  { atStart, since, isApproved }: EarlierFacts,
): string[] {
  const group = (path: string) => (!atStart.has(path) ? 2 : isApproved(path) ? 1 : 0);
  const time = (path: string) => atStart.get(path) ?? since.get(path) ?? 0;
  return paths.toSorted((a, b) => group(a) - group(b) || time(a) - time(b));
}

interface EarlierFacts {
  /** When what was changed already had been written. */
  atStart: ReadonlyMap<string, number>;
  since: ReadonlyMap<string, number>;
  isApproved(path: string): boolean;
}
