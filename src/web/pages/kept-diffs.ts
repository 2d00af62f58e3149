import type { Escalation } from '../../core/contracts/escalation.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import type { RunTarget } from '../../core/ports/run-target.ts';
import type { Logger } from '../log.ts';

/** A run with its open question. */
export interface AskedRun {
  state: RunState;
  target: RunTarget;
  pending: Escalation;
}

interface DiffDependencies {
  withDiffs(asked: AskedRun, most: { files: number; chars: number }): Promise<Escalation>;
  log: Logger;
}

const MOST = { files: 50, chars: 100_000 };
/** Each may be as large as all its diffs. */
const MAX_KEPT = 8;

/** Diffs of the questions that people look at now. Pages are read again with every change, and GitHub is not. */
export function createKeptDiffs({ withDiffs, log }: DiffDependencies) {
  const kept = new Map<string, Promise<Escalation>>();
  return async (asked: AskedRun): Promise<Escalation> => {
    const { state, pending } = asked;
    const isFinished = pending.triggers.some(({ evidence }) =>
      evidence.proposed?.some((write) => write.finished),
    );
    if (!isFinished) return pending;
    const key = `${state.run} ${pending.id}`;
    let found = kept.get(key);
    if (!found) {
      found = withDiffs(asked, MOST);
      const [oldest] = kept.keys();
      if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
      kept.set(key, found);
    }
    try {
      return await found;
    } catch (err) {
      kept.delete(key);
      log.warn({ err, run: state.run }, 'the files before the change could not be read');
      return pending;
    }
  };
}
