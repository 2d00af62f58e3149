import { compact } from '../../core/compact.ts';
import type { LimitsInForce } from '../../core/contracts/guard.ts';
import { countedTokens } from '../../core/contracts/run-event.ts';
import { filesOfRun, type RunState } from '../../core/contracts/run-state.ts';
import { costFigure } from './cost-figure.ts';
import { withLimit } from './figures.ts';
import { count, minutes } from './words.ts';

export const NOT_REPORTED = 'not reported';

/** The run's usage over all jobs. */
export interface Totals {
  turns: string;
  working: string;
  waiting: string;
  jobs: string;
  files: string;
  tokens_in: string;
  tokens_out: string;
  tokens: string;
  cost: string;
}

export function totalsOf(state: RunState, limits: LimitsInForce): Totals {
  const { input_tokens, output_tokens, cost_usd } = state.usage;
  // Every model reads something: an agent with no token at all does not report them.
  const areReported = input_tokens + output_tokens > 0;
  const tokens = (number: number) => (areReported ? compact(number) : NOT_REPORTED);
  // V-1: turns and minutes have a limit for each round, which says nothing about all of them.
  const ofRound = state.began ? { turns: null, minutes: null } : limits;
  return {
    turns: withLimit(state.turn, ofRound.turns),
    working: `${withLimit(minutes(state.active_ms), ofRound.minutes)} min`,
    waiting: `${minutes(state.waiting_ms)} min`,
    jobs: count(state.jobs, 'job'),
    files: withLimit(filesOfRun(state), limits.files),
    tokens_in: tokens(input_tokens),
    tokens_out: tokens(output_tokens),
    tokens: tokens(input_tokens + output_tokens),
    cost: costFigure({ cost_usd, tokens: countedTokens(state.usage) }, limits.cost) ?? NOT_REPORTED,
  };
}
