import { join } from 'node:path';
import type { Agent } from '../../../agents/agent.ts';
import { saveCheckpoint } from '../../checkpoint/checkpoint.ts';
import { createWriteGuard, type WriteGuard } from '../../gate/write-guard.ts';
import type { Job } from '../job.ts';
import type { LiveTurn } from './live-turn.ts';
import { writeLimitsOf } from './turn-limits.ts';

/** The write guard of one turn. Its findings are measured, and stop the turn if a guard trips over them. */
export function createTurnWrites(job: Job, live: LiveTurn, agent: Agent): WriteGuard {
  const { turn, kind } = live.orders;
  return createWriteGuard({
    workspace: job.workspace,
    asideDir: join(job.runDir, 'aside'),
    stateDir: job.stateDir.path,
    aside: job.aside,
    workedMs: () => job.stopwatch.ms(),
    countChanged: job.agentConfig.countChanged,
    versionApart: job.agentConfig.versionApart,
    ownRewrite: agent.ownRewrite,
    limits: () => writeLimitsOf(job, live.orders),
    onProposed(proposed, files) {
      job.meter.observe({
        type: 'write_proposed',
        turn,
        proposed,
        files,
        scope: job.brief.task.scope ?? [],
      });
      live.enqueue(() => live.stopIfTripped());
    },
    onFilesChanged(paths) {
      // Changes of a debugging turn are no progress, because they are reverted at its end.
      if (kind !== 'debug') job.meter.observe({ type: 'files_changed', turn, paths });
    },
    onAside(items) {
      job.aside = items;
      saveCheckpoint(job, { aside: items });
    },
    onGone: () =>
      live.enqueue(() => live.end({ kind: 'ended', exit: 'the agent deleted the worktree', failed: true })),
    onProblem: (error) =>
      job.onProgress({ type: 'problem', text: `Looking at the worktree failed: ${String(error)}` }),
  });
}
