import type { RunState } from '../../src/core/contracts/run-state.ts';
import { evolve } from '../../src/core/decide/evolve.ts';
import type { Commit } from '../../src/core/ports/ports.ts';
import { RULES } from '../../src/guards/rules.ts';

/** The desk's own limit where few turns are allowed, or none are counted. */
const FEWEST_JOBS = 3;
const MOST_IDLE_JOBS = 10;

/** turn numbers only grow, and since a person's last word there are not more turns than allowed, whatever a job claims. */
export function judgeTurns(run: string, commits: Commit[]): string[] {
  const broken: string[] = [];
  let state: RunState | undefined;
  let last = 0;
  let turns = 0;
  let idle = 0;
  for (const { input, events } of commits) {
    if (input.type === 'command' && !events.some(({ type }) => type === 'command_refused')) {
      turns = 0;
      idle = 0;
    }
    for (const event of events) {
      state = evolve(state, event);
      if (event.type === 'revision_started') turns = 0;
      if (event.type === 'turn_ended' || event.type === 'revision_started') idle = 0;
      if (event.type === 'job_parked' || event.type === 'job_handed_over') {
        idle += 1;
        const most = Math.max(RULES.limitsInForce(state.limits).turns ?? MOST_IDLE_JOBS, FEWEST_JOBS);
        if (idle > most)
          broken.push(
            `R-15: ${idle} jobs of ${run} finished no turn, ${most} may without a word of a person`,
          );
      }
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
