import * as z from 'zod';
import type { Guard } from '../core/contracts/guard.ts';
import { limitSchema } from './counting/limit-schema.ts';
import {
  acceptCurrent,
  cancel,
  checkpointAndPause,
  continueMinutes,
  orderOptions,
  review,
} from './words/options.ts';
import {
  failingClause,
  joinHeadline,
  plural,
  statusClause,
  WHAT_NEXT,
  withThreshold,
} from './words/wording.ts';

const MORE_MINUTES = 10;
const MINUTE_MS = 60_000;
const allowed = 'minutes, a number above 0, or `off`';

/** `since_ms` is the active time when this agent started. The clock is not reset when another agent continues the run. */
const RuntimeState = z.object({ active_ms: z.number(), since_ms: z.number() });
type RuntimeState = z.infer<typeof RuntimeState>;

/** G-2. Active time does not include waiting for people. */
export const maxRuntime: Guard<RuntimeState, number> = {
  id: 'max_runtime',
  trips: 'the agent and the checks have run for this many minutes. Waiting for people does not count.',
  names: 'symptom',
  header: 'Runtime Limit',
  counter: 'Time',
  category: 'test_failure',
  type: 'runtime_limit',
  kind: 'attempt_count',
  runLimit: 'minutes',
  config: limitSchema(z.number().positive(), allowed, 60),
  allowed,
  initial: { active_ms: 0, since_ms: 0 },
  state: RuntimeState,
  reduce(state, event) {
    if (event.type === 'clock') return { ...state, active_ms: event.active_ms };
    if (event.type === 'agent_changed') return { ...state, since_ms: state.active_ms };
    return state;
  },
  check({ active_ms, since_ms }, limit) {
    const minutes = (active_ms - since_ms) / MINUTE_MS;
    if (minutes < limit) return undefined;
    return {
      guard: 'max_runtime',
      kind: 'attempt_count',
      threshold: limit,
      observed: minutes,
      evidence: { unit: 'minutes' },
    };
  },
  grow(limit, { minutes = MORE_MINUTES }, { observed }) {
    return limit + minutes > observed ? limit + minutes : observed + minutes;
  },
  figure: (trigger) => `${withThreshold({ ...trigger, observed: Math.floor(trigger.observed) })} min`,
  grants: () => `${MORE_MINUTES} more minutes`,
  headline({ observed, threshold }, progress) {
    const used = `${shortNumber(observed)} of ${shortNumber(threshold ?? 0)} min used`;
    return joinHeadline(used, failingClause(progress), WHAT_NEXT);
  },
  question({ threshold }, progress) {
    const limit = `Runtime limit (${shortNumber(threshold ?? 0)}min) exceeded`;
    const status = statusClause(progress);
    const sentence = status.charAt(0).toUpperCase() + status.slice(1);
    return `${limit} after ${plural(progress.turn, 'iteration')}. ${sentence}. How to proceed?`;
  },
  options(_trigger, progress) {
    return orderOptions([
      continueMinutes(MORE_MINUTES),
      checkpointAndPause,
      acceptCurrent(progress),
      review,
      cancel,
    ]);
  },
};

function shortNumber(minutes: number): string {
  return minutes >= 10 ? String(Math.floor(minutes)) : String(Number(minutes.toPrecision(2)));
}
