import { join } from 'node:path';
import { noteSurroundings } from '../workspace/control-files.ts';
import type { Job, WorkOrders } from './job.ts';

export function surroundingsDir({ runDir }: Job): string {
  return join(runDir, 'surroundings');
}

/** What cannot be put back must not cost the turn its end: the user is told instead. */
export async function tellPutBack(job: Job, work: Promise<string[]>): Promise<void> {
  const told = await work.catch((error: unknown) => [
    `What lies around the worktree could not be compared: ${String(error)}`,
  ]);
  for (const text of told) job.onProgress({ type: 'problem', text });
}

/** The run's own versions of what agents obey come back; one that was written over is kept, and the user hears where. */
export async function tellBroughtBack(job: Job): Promise<void> {
  for (const text of await job.agentConfig.bringBack()) job.onProgress({ type: 'problem', text });
}

/** For whatever runs what the agent wrote, such as the checks. */
export async function guardSurroundings<Result>(
  job: Job,
  orders: WorkOrders,
  work: () => Promise<Result>,
): Promise<Result> {
  const around = await noteSurroundings(
    job.workspace.worktree,
    surroundingsDir(job),
    job.agentFor(orders.agent),
  );
  try {
    return await work();
  } finally {
    await tellPutBack(job, around.putBack());
  }
}
