import { userError } from '../core/error-catalogue.ts';
import { endOrphans } from '../runner/process/orphans.ts';
import { acquireLock } from '../runner/workspace/worktree-lock.ts';
import type { Home, RunFile } from './home.ts';

/**
 * Allows one run at a time in a worktree. A second one is told which run holds it. Processes that a killed run left
 * behind are ended first.
 */
export async function withWorktreeLock<T>(home: Home, file: RunFile, work: () => Promise<T>): Promise<T> {
  const { run, worktree } = file;
  const lock = await acquireLock(home.lockFile(worktree), {
    pid: process.pid,
    startedAt: new Date().toISOString(),
    run,
    command: 'autobuild',
  });
  if (!lock.ok) {
    const { pid, run: holder, startedAt } = lock.holder;
    throw userError('worktree_held', { pid, run: holder, since: startedAt, directory: worktree });
  }
  try {
    for (const earlier of home.runs()) {
      if (earlier.worktree === worktree) await endOrphans(home.runDir(earlier.run), earlier.run);
    }
    return await work();
  } finally {
    await lock.release();
  }
}
