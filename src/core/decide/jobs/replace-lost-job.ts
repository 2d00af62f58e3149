import type { Rules } from '../../contracts/rules.ts';
import type { RunEvent } from '../../contracts/run-event.ts';
import type { RunState } from '../../contracts/run-state.ts';
import { decideAgentDeath } from '../decide-claim.ts';
import type { Decision } from '../decision.ts';
import { evolve } from '../evolve.ts';
import { askAboutJobs } from './ask-about-jobs.ts';

/** A cause that ended three jobs in a row before any of them finished a turn would end the fourth, too. */
const MOST_LOSSES = 3;

/** another job continues where the lost one stopped, unless a question is open, the run is paused, or too many jobs were lost in a row. */
export function replaceLostJob(
  state: RunState,
  lost: Extract<RunEvent, { type: 'job_lost' }>,
  logUrl: string | undefined,
  rules: Rules,
): Decision {
  const { at, reason } = lost;
  const after = evolve(state, lost);
  const death = decideAgentDeath(after, at, reason);
  if (state.pending || state.paused) {
    return { events: [lost, ...death.events], effects: [...death.effects, { type: 'update_status' }] };
  }
  if ((after.losses ?? 0) < MOST_LOSSES) {
    return { events: [lost], effects: [{ type: 'dispatch_job' }, { type: 'update_status' }] };
  }
  const asked = askAboutJobs(after, { at, log_url: logUrl, ...describe(after, reason) }, rules);
  return { events: [lost, ...asked.events], effects: asked.effects };
}

function describe({ losses = 0, unstarted = 0 }: RunState, reason: string) {
  const trigger = {
    guard: 'lost_jobs',
    threshold: MOST_LOSSES,
    observed: losses,
    shown: { counter: 'Lost jobs', figure: `${losses}/${MOST_LOSSES}` },
  };
  const headline =
    unstarted < losses
      ? `${losses} jobs in a row ended before a turn was finished`
      : `the job does not start: ${losses} tries in a row ended before Autobuild began`;
  const next =
    unstarted > 0
      ? 'Usually a set-up step of the workflow fails; fix it first.'
      : 'The next one would probably end the same way, so look for the cause first.';
  return { trigger, headline, why: `The last one: ${reason}. ${next}` };
}
