import type { RunState } from '../../src/core/contracts/run-state.ts';
import { evolve } from '../../src/core/decide/evolve.ts';
import type { Commit } from '../../src/core/ports/ports.ts';
import { RULES } from '../../src/guards/rules.ts';

/** turn numbers only grow, and since a person's last word there are not more turns than allowed, whatever a job claims. */
export function judgeTurns(run: string, commits: Commit[]): string[] {
  const broken: string[] = [];
  let state: RunState | undefined;
  let last = 0;
  let turns = 0;
  for (const { input, events } of commits) {
    if (input.type === 'command' && !events.some(({ type }) => type === 'command_refused')) turns = 0;
    for (const event of events) {
      state = evolve(state, event);
      if (event.type === 'revision_started') turns = 0;
      if (event.type !== 'turn_ended') continue;
      const { turn, kind } = event.record;
      // G-8: a debugging turn has the number of the turn that it investigates, which may have ended before.
      if (turn < last || (turn === last && kind === 'normal'))
        broken.push(`R-15: turn ${turn} of ${run} ended after a later one`);
      if (kind === 'normal') {
        last = turn;
        turns += 1;
      }
      const most = RULES.limitsInForce(state.limits).turns;
      if (most !== null && turns > most)
        broken.push(`R-15: ${turns} turns of ${run} ended without a word of a person, ${most} are allowed`);
    }
  }
  return broken;
}
