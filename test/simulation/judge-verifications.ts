import type { RunState } from '../../src/core/contracts/run-state.ts';
import { evolve } from '../../src/core/decide/evolve.ts';
import type { Commit } from '../../src/core/ports/ports.ts';

/** The guard's default. */
const ALLOWED = 10;

/**
 * since a person's last word the work is not verified more often than allowed, whatever a job claims. Work that is said to be
 * complete after the last time is verified afresh once more, because completion wins over a guard (K-10).
 */
export function judgeVerifications(run: string, commits: Commit[]): string[] {
  let state: RunState | undefined;
  let count = 0;
  for (const { input, events } of commits) {
    if (input.type === 'command' && !events.some(({ type }) => type === 'command_refused')) count = 0;
    for (const event of events) {
      state = evolve(state, event);
      if (event.type === 'revision_started') count = 0;
      const isFresh = event.type === 'verification_reported';
      if (!isFresh && !(event.type === 'turn_ended' && event.record.verification)) continue;
      count += 1;
      const limit = state.limits.total_verification_attempts ?? ALLOWED;
      if (limit !== 'off' && count > Number(limit) + (isFresh ? 1 : 0))
        return [`R-15: ${run} was verified ${count} times without a word of a person, ${limit} are allowed`];
    }
  }
  return [];
}
