import * as z from 'zod';
import { type Guard, PassRate } from '../core/contracts/guard.ts';
import { countLimit } from './counting/limit-schema.ts';
import { isBetter, isWhole, passRate, percent } from './counting/pass-rate.ts';
import {
  acceptCurrent,
  debugFirst,
  orderOptions,
  review,
  skipAndContinue,
  terminate,
  tryDifferently,
} from './words/options.ts';
import { IF_CAUSE_SEEN, joinHeadline, plural, WHAT_NEXT } from './words/wording.ts';

const HISTORY_KEPT = 50;
const RATES_SHOWN = 6;

const ImprovementState = z.object({
  /** The baseline, then one rate per verification. */
  history: z.array(PassRate),
  best: PassRate.nullable(),
  count: z.number(),
});
type ImprovementState = z.infer<typeof ImprovementState>;

/** E-4 */
export const noTestImprovementAfter: Guard<ImprovementState, number> = {
  id: 'no_test_improvement_after',
  trips: 'this many test runs in a row are no better than the best one before.',
  names: 'symptom',
  header: 'No Test Improvement',
  counter: 'Runs without improvement',
  hint: IF_CAUSE_SEEN,
  category: 'test_failure',
  type: 'progress_stall',
  kind: 'attempt_count',
  ...countLimit(3, 1000),
  initial: { history: [], best: null, count: 0 },
  state: ImprovementState,
  reduce(state, event) {
    // The rates describe the files and not the agent, so another agent starts from the same best rate.
    if (event.type === 'agent_changed') return { ...state, count: 0 };
    if (event.type === 'rearmed') {
      if (!event.guards.includes('no_test_improvement_after')) return state;
      return { ...state, count: 0, best: state.history.at(-1) ?? null };
    }
    if (event.type !== 'baseline' && event.type !== 'verified') return state;
    const rate = passRate(event.verification, event.type === 'verified' ? event.turn : 0);
    if (!rate || (event.type === 'baseline' && state.best)) return state;
    const history = append(state.history, rate);
    if (!state.best || isBetter(rate, state.best)) return { history, best: rate, count: 0 };
    // At 100 % nothing is left to improve, so the count starts again.
    return { history, best: state.best, count: isWhole(rate) ? 0 : state.count + 1 };
  },
  check({ history, count }, limit) {
    if (count < limit) return undefined;
    return {
      guard: 'no_test_improvement_after',
      kind: 'attempt_count',
      threshold: limit,
      observed: count,
      evidence: { pass_rates: history },
    };
  },
  headline({ observed, evidence }) {
    const unit = evidence.pass_rates?.at(-1)?.unit === 'checks' ? 'check' : 'test';
    return joinHeadline(`no improvement in ${plural(observed, `${unit} run`)}`, undefined, WHAT_NEXT);
  },
  question({ observed, evidence }) {
    const stalled = `no test improvement after ${plural(observed, 'attempt')}`;
    const rates = (evidence.pass_rates ?? []).slice(-Math.min(observed + 1, RATES_SHOWN));
    return `Progress stalled: ${stalled}. Pass rates: ${listRates(rates)}. How to proceed?`;
  },
  options({ observed, evidence }, progress) {
    const turns = (evidence.pass_rates ?? []).slice(-observed).map((rate) => rate.turn);
    return orderOptions([
      tryDifferently(turns),
      debugFirst,
      skipAndContinue(progress),
      acceptCurrent(progress),
      review,
      terminate,
    ]);
  },
};

export function countRunsWithoutImprovement(state: ImprovementState): number {
  return state.count;
}

/** Counts where totals differ, because deleted tests make 11/14 and then 11/13 look like progress in per cent. */
function listRates(rates: readonly PassRate[]): string {
  const isOneTotal = new Set(rates.map(({ total }) => total)).size === 1;
  return rates.map((rate) => (isOneTotal ? percent(rate) : `${rate.passed}/${rate.total}`)).join(', ');
}

function append(history: readonly PassRate[], rate: PassRate): PassRate[] {
  const all = [...history, rate];
  return all.length > HISTORY_KEPT ? [...all.slice(0, 1), ...all.slice(-(HISTORY_KEPT - 1))] : all;
}
