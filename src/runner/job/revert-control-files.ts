import { join } from 'node:path';
import { recordControlFiles } from '../workspace/control-files.ts';
import type { Job, WorkOrders } from './job.ts';

/** Keeps the name that earlier versions gave it, because a job of theirs may have been killed in a turn. */
export function controlFilesDir({ runDir }: Job): string {
  return join(runDir, 'surroundings');
}

/** A failure is only reported, because it must not prevent the end of the turn. */
export async function reportReverted(job: Job, reverting: Promise<string[]>): Promise<void> {
  const notices = await reverting.catch((error: unknown) => [
    `What lies around the worktree could not be compared: ${String(error)}`,
  ]);
  for (const text of notices) job.onProgress({ type: 'problem', text });
}

/** Restores the run's versions of agent configuration files, and reports where overwritten ones are kept. */
export async function restoreRunConfig(job: Job): Promise<void> {
  for (const text of await job.agentConfig.bringBack()) job.onProgress({ type: 'problem', text });
}

/** For work that runs the agent's code, such as the checks. */
export async function guardControlFiles<Result>(
  job: Job,
  orders: WorkOrders,
  work: () => Promise<Result>,
): Promise<Result> {
  const record = await recordControlFiles(
    job.workspace.worktree,
    controlFilesDir(job),
    job.agentFor(orders.agent),
  );
  try {
    return await work();
  } finally {
    await reportReverted(job, record.revert());
  }
}
