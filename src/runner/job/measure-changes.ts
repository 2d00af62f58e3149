import type { ChangeSummary } from '../../core/contracts/run-event.ts';
import { totals } from '../../core/work/change.ts';
import { WorktreeGoneError } from '../workspace/worktree-gone.ts';
import type { Job, WorkOrders } from './job.ts';

/** The run's changes so far, also in the middle of a turn. */
export async function measureChanges({ workspace, agentConfig }: Job): Promise<ChangeSummary> {
  const changes = await workspace.changes();
  const { added, removed } = totals(changes);
  const paths = await agentConfig.countChanged(changes.map(({ path }) => path));
  return { paths, added, removed };
}

/** The same while a person is asked. A failure does not affect the question. */
export async function measureMidTurn(job: Job, { kind }: WorkOrders): Promise<ChangeSummary | undefined> {
  // Changes of a debugging turn are reverted at its end.
  if (kind === 'debug') return undefined;
  try {
    return await measureChanges(job);
  } catch (error) {
    if (!(error instanceof WorktreeGoneError))
      job.onProgress({ type: 'problem', text: `Looking at the worktree failed: ${String(error)}` });
    return undefined;
  }
}
