import type { Rules } from '../core/rules.ts';
import { describeTriggers } from './describe-triggers.ts';
import { growLimits, tripped } from './observe.ts';

/** The guards as the decisions see them. */
export const RULES: Rules = { tripped, grow: growLimits, describe: describeTriggers };
