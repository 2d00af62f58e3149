import type { Effect } from '../../contracts/effect.ts';
import type { Rules } from '../../contracts/rules.ts';
import type { RunEvent } from '../../contracts/run-event.ts';
import type { RunState } from '../../contracts/run-state.ts';
import { howToContinue } from '../close-question.ts';
import { figuresOf } from '../count-at-desk.ts';
import type { Decision } from '../decision.ts';
import { evolve } from '../evolve.ts';
import { setPauseTimer } from '../expiry.ts';

/** One long turn may need several jobs, also where few turns are allowed. */
const FEWEST_JOBS = 3;
/** Where no number of turns is set. A turn of a whole day, in jobs of six hours, is far below it. */
const MOST_IDLE_JOBS = 10;

/**
 * The next job continues where this one stopped, unless the run waits for a person or a fresh verification. R-15: jobs that finish no
 * turn are bounded as turns are, and also where turns are not, because no guard would ever see one.
 */
export function startSuccessor(
  state: RunState,
  ended: Extract<RunEvent, { type: 'job_parked' | 'job_handed_over' }>,
  rules: Rules,
): Decision {
  if (state.pending || state.paused || state.verifying !== undefined) return { events: [ended], effects: [] };
  const after = evolve(state, ended);
  const most = rules.limitsInForce(state.limits).turns;
  const { idle_jobs: idle } = figuresOf(after);
  if (idle < Math.max(most ?? MOST_IDLE_JOBS, FEWEST_JOBS)) {
    return { events: [ended], effects: [{ type: 'dispatch_job' }] };
  }
  const { at } = ended;
  return {
    events: [ended, { type: 'run_paused', at, by: 'Autobuild', rearm: [] }],
    effects: [explain(after, idle, at), ...setPauseTimer(after, at)],
  };
}

function explain(state: RunState, jobs: number, at: string): Effect {
  const title = `Paused: ${jobs} jobs in a row ended before a turn was finished.`;
  return { type: 'reply', reply: { tone: 'waiting', title, detail: howToContinue(state, at) } };
}
