import { phaseOf, type RunState } from '../../contracts/run-state.ts';
import type { Decision } from '../decision.ts';
import { evolve } from '../evolve.ts';

/** V-8: reviewers read the description, so it is written again when the round begins to wait, for another answer, or no more. */
export function describeWait(state: RunState, decision: Decision): Decision {
  const { events, effects } = decision;
  const isDescribed = effects.some(({ type }) => type === 'describe_pull');
  if (!state.revision || isDescribed || events.length === 0) return decision;
  const after = events.reduce<RunState>(evolve, state);
  if (!after.revision || waitOf(after) === waitOf(state)) return decision;
  // After the question, to which it links.
  return { events, effects: [...effects, { type: 'describe_pull' }] };
}

function waitOf(state: RunState): string | undefined {
  return phaseOf(state) === 'waiting' ? (state.pending ?? 'paused') : undefined;
}
