import type { Rules } from '../../contracts/rules.ts';
import type { RunEvent } from '../../contracts/run-event.ts';
import type { RunState } from '../../contracts/run-state.ts';
import { figuresOf } from '../count-at-desk.ts';
import type { Decision } from '../decision.ts';
import { evolve } from '../evolve.ts';
import { askAboutJobs } from './ask-about-jobs.ts';

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
  const most = Math.max(rules.limitsInForce(state.limits).turns ?? MOST_IDLE_JOBS, FEWEST_JOBS);
  const { idle_jobs: idle } = figuresOf(after);
  if (idle < most) return { events: [ended], effects: [{ type: 'dispatch_job' }] };
  const asked = askAboutJobs(
    after,
    {
      at: ended.at,
      headline: `${idle} jobs in a row ended before a turn was finished`,
      why: 'Each of them saved its work and ended as planned. Usually a turn takes longer than a job may: raise `timeout-minutes` in the workflow, or ask for a smaller step with `/guide`.',
      trigger: {
        guard: 'idle_jobs',
        threshold: most,
        observed: idle,
        shown: { counter: 'Jobs without a turn', figure: `${idle}/${most}` },
      },
    },
    rules,
  );
  return { events: [ended, ...asked.events], effects: asked.effects };
}
