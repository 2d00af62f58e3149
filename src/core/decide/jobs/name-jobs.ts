import type { Effect } from '../../contracts/effect.ts';
import { type RunState, verificationName } from '../../contracts/run-state.ts';
import type { Decision } from '../decision.ts';
import { evolve } from '../evolve.ts';

/** a dispatch belongs to the job it was decided for, so that the end of another job is never charged to it. */
export function nameJobs(before: RunState | undefined, { events, effects }: Decision): Decision {
  if (!effects.some(({ type }) => type === 'dispatch_job' || type === 'dispatch_verification'))
    return { events, effects };
  const state = events.reduce<RunState | undefined>(evolve, before);
  if (!state) return { events, effects };
  return { events, effects: effects.map((effect) => nameJob(effect, state)) };
}

function nameJob(effect: Effect, state: RunState): Effect {
  if (effect.type === 'dispatch_job') return { ...effect, job: state.jobs + 1 };
  if (effect.type !== 'dispatch_verification') return effect;
  return { ...effect, job: state.jobs, verification: verificationName(state) };
}
