import type { Rules } from '../core/contracts/rules.ts';
import { describeTriggers } from './describe-triggers.ts';
import {
  examine,
  growLimits,
  limitsInForce,
  observe,
  readStates,
  startRound,
  tripped,
  trippedBy,
} from './observe.ts';

/** Passed to `decide` by the entrypoints, because `core` does not import guards. */
export const RULES: Rules = {
  readStates,
  observe: (states, event) => observe(readStates(states).states, event),
  tripped: (states, limits) => tripped(readStates(states).states, limits),
  trippedBy,
  examine,
  limitsInForce,
  startRound,
  grow: growLimits,
  describe: describeTriggers,
};
