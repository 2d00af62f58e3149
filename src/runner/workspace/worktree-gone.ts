import { lstat, mkdir } from 'node:fs/promises';

/** The agent removed the worktree itself, or put something else in its place. `Workspace.restoreTree` recreates it. */
export class WorktreeGoneError extends Error {
  override readonly name = 'WorktreeGoneError';
}

export async function assertWorktree(worktree: string): Promise<void> {
  const stats = await lstat(worktree).catch(() => undefined);
  if (stats?.isDirectory()) return;
  const what = stats === undefined ? 'is gone' : 'is no longer a directory';
  throw new WorktreeGoneError(`The worktree ${worktree} ${what}. Its last snapshot can be restored.`);
}

export async function recreateWorktree(worktree: string): Promise<void> {
  const stats = await lstat(worktree).catch(() => undefined);
  if (stats === undefined) await mkdir(worktree, { recursive: true });
  else await assertWorktree(worktree);
}
