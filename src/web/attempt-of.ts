import type { RunTarget } from '../core/ports/hosted-ports.ts';

/** Which attempt an Actions run is at, by GitHub's word. Undefined: it does not know the run. */
export type AttemptOf = (target: RunTarget, actionsRun: number) => Promise<number | undefined>;

const REMEMBERED_MS = 5_000;
const MOST = 1_000;

/** Whoever holds a ticket can make the desk ask GitHub: once in a while, not as often as they like. A new attempt takes longer to start. */
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
