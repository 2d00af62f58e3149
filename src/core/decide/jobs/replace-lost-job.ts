import type { Effect } from '../../contracts/effect.ts';
import type { RunEvent } from '../../contracts/run-event.ts';
import type { RunState } from '../../contracts/run-state.ts';
import { howToContinue } from '../close-question.ts';
import { decideAgentDeath } from '../decide-claim.ts';
import type { Decision } from '../decision.ts';
import { evolve } from '../evolve.ts';
import { setPauseTimer } from '../expiry.ts';

/** A cause that ended three jobs in a row before any of them finished a turn would end the fourth, too. */
const MOST_LOSSES = 3;

/** another job continues where the lost one stopped, unless a question is open, the run is paused, or too many jobs were lost in a row. */
export function replaceLostJob(
  state: RunState,
  lost: Extract<RunEvent, { type: 'job_lost' }>,
  logUrl: string | undefined,
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
  return {
    events: [lost, { type: 'run_paused', at, by: 'Autobuild', rearm: [] }],
    effects: [
      explain(after, { ...lost, began: state.job_live }, logUrl),
      ...setPauseTimer(after, at),
      { type: 'update_status' },
    ],
  };
}

function explain(
  state: RunState,
  { at, reason, began }: { at: string; reason: string; began: boolean },
  logUrl: string | undefined,
): Effect {
  const title = began
    ? `Paused: ${state.losses} jobs in a row ended before a turn was finished.`
    : `Paused: the job does not start. Its Actions run ended ${state.losses} times before Autobuild began.`;
  const remedy = began ? '' : ' Usually a set-up step of the workflow fails; fix it first.';
  return {
    type: 'reply',
    reply: {
      tone: 'waiting',
      title,
      detail: `The last one: ${reason}.${remedy} ${howToContinue(state, at)}`,
      link: logUrl ? { text: 'Log of the last job', url: logUrl } : undefined,
    },
  };
}
