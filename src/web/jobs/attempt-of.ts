import type { RunTarget } from '../../core/ports/run-target.ts';

/** The current attempt of an Actions run, read from GitHub. Undefined if GitHub does not know the run. */
export type AttemptOf = (target: RunTarget, actionsRun: number) => Promise<number | undefined>;

const REMEMBERED_MS = 5_000;
const MOST = 1_000;

/**
 * Caches results, because everybody who has a ticket can make the desk call GitHub. A new attempt takes longer to start than the
 * cache lasts.
 */
export function askSparingly(attemptOf: AttemptOf, now: () => Date): AttemptOf {
  const asked = new Map<number, { at: number; answer: Promise<number | undefined> }>();
  return (target, actionsRun) => {
    const at = now().getTime();
    const before = asked.get(actionsRun);
    if (before && at - before.at < REMEMBERED_MS) return before.answer;
    if (asked.size >= MOST) asked.clear();
    const answer = attemptOf(target, actionsRun);
    asked.set(actionsRun, { at, answer });
    return answer;
  };
}
