import * as z from 'zod';
import type { Guard, Progress, Trigger } from '../core/contracts/guard.ts';
import { countLimit } from './counting/limit-schema.ts';
import { acceptCurrent, cancel, continueTurns, orderOptions, review } from './words/options.ts';
import {
  failingClause,
  IF_CAUSE_SEEN,
  joinHeadline,
  statusClause,
  WHAT_NEXT,
  withThreshold,
} from './words/wording.ts';

const MORE_TURNS = 5;

/** V-1: people read the turns of the round. Count and limit are those of the run, because turns keep their numbers. */
function inRound(
  { observed, threshold }: Pick<Trigger, 'observed' | 'threshold'>,
  { earlier_turns = 0 }: Progress,
): Pick<Trigger, 'observed' | 'threshold'> {
  return {
    observed: observed - earlier_turns,
    threshold: threshold === null ? null : threshold - earlier_turns,
  };
}

/** G-1. Debugging turns are not counted. The count is kept when the limit grows. */
export const maxIterations: Guard<{ count: number }, number> = {
  id: 'max_iterations',
  trips: 'this many turns have ended. Debugging turns do not count.',
  names: 'symptom',
  header: 'Iteration Limit',
  counter: 'Turn',
  hint: IF_CAUSE_SEEN,
  category: 'test_failure',
  type: 'iteration_limit',
  kind: 'attempt_count',
  runLimit: 'turns',
  ...countLimit(10, 1000),
  initial: { count: 0 },
  state: z.object({ count: z.number() }),
  reduce(state, event) {
    if (event.type === 'agent_changed') return { count: 0 };
    if (event.type === 'turn_ended' && event.counted) return { count: state.count + 1 };
    return state;
  },
  countedAtDesk: ({ turns }) => ({ count: turns }),
  check({ count }, limit) {
    if (count < limit) return undefined;
    return {
      guard: 'max_iterations',
      kind: 'attempt_count',
      threshold: limit,
      observed: count,
      evidence: {},
    };
  },
  grow(limit, { turns = MORE_TURNS }, { observed }) {
    return limit + turns > observed ? limit + turns : observed + turns;
  },
  nextRound: ({ turns }, limit) => turns + limit,
  grants: () => `${MORE_TURNS} more turns`,
  figure: (trigger, progress) => withThreshold({ ...trigger, ...inRound(trigger, progress) }),
  headline(trigger, progress) {
    const { observed, threshold } = inRound(trigger, progress);
    return joinHeadline(`${observed} of ${threshold} turns used`, failingClause(progress), WHAT_NEXT);
  },
  question(trigger, progress) {
    const { threshold } = inRound(trigger, progress);
    return `Iteration limit (${threshold}) reached. Current status: ${statusClause(progress)}. How to proceed?`;
  },
  options(_trigger, progress) {
    return orderOptions([...continueTurns(MORE_TURNS), acceptCurrent(progress), review, cancel]);
  },
};
