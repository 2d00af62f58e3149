import type { WorkflowRun } from '../../core/ports/github/workflow-port.ts';
import type { RunTarget } from '../../core/ports/run-target.ts';

/** Reads an Actions run from GitHub. Undefined if GitHub does not know the run. */
export type ReadActionsRun = (
  target: RunTarget,
  actionsRun: number,
) => Promise<Pick<WorkflowRun, 'attempt' | 'status'> | undefined>;

const REMEMBERED_MS = 4_000;
const MOST = 1_000;

/**
 * Caches results, because everybody who has a ticket can make the desk call GitHub. A new attempt takes longer to start than the
 * cache lasts.
 */
export function askSparingly(read: ReadActionsRun, now: () => Date): ReadActionsRun {
  const asked = new Map<number, { at: number; answer: ReturnType<ReadActionsRun> }>();
  return (target, actionsRun) => {
    const at = now().getTime();
    const before = asked.get(actionsRun);
    if (before && at - before.at < REMEMBERED_MS) return before.answer;
    if (asked.size >= MOST) asked.clear();
    const answer = read(target, actionsRun);
    asked.set(actionsRun, { at, answer });
    return answer;
  };
}
