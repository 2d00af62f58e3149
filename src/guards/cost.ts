import * as z from 'zod';
import { compact } from '../core/compact.ts';
import type { Guard, Trigger } from '../core/contracts/guard.ts';
import { limitSchema } from './counting/limit-schema.ts';
import { acceptCurrent, cancel, continueFromZero, orderOptions, review } from './words/options.ts';
import { CHOOSE, joinHeadline, statusClause } from './words/wording.ts';

const allowed = 'dollars, a number above 0, `{dollars: N}`, `{tokens: N}`, or `off`';
const amount = z.number().positive();
const CostLimit = z.union([
  amount.transform((dollars) => ({ dollars })),
  z.strictObject({ dollars: amount }),
  z.strictObject({ tokens: amount.int() }),
]);
type CostLimit = z.infer<typeof CostLimit>;

const CostState = z.object({ dollars: z.number(), tokens: z.number() });
type CostState = z.infer<typeof CostState>;

const initial: CostState = { dollars: 0, tokens: 0 };

/** The budget of the run. There is no limit by default. */
export const costExceeds: Guard<CostState, CostLimit> = {
  id: 'cost_exceeds',
  trips: 'the agent has cost this much.',
  names: 'symptom',
  header: 'Cost Limit',
  counter: 'Cost',
  category: 'external_dependency',
  type: 'cost_limit',
  kind: 'attempt_count',
  runLimit: 'cost',
  config: limitSchema<CostLimit>(CostLimit, allowed, 'off'),
  allowed,
  initial,
  state: CostState,
  reduce(state, event) {
    if (event.type === 'agent_changed') return initial;
    if (event.type === 'rearmed') return event.guards.includes('cost_exceeds') ? initial : state;
    if (event.type !== 'usage') return state;
    return {
      // Rounded to a millionth, because ten times $0.10 has to reach $1.
      dollars: Math.round((state.dollars + event.cost_usd) * 1e6) / 1e6,
      tokens: state.tokens + event.input_tokens + event.output_tokens,
    };
  },
  check(state, limit) {
    const [unit, threshold] =
      'tokens' in limit ? (['tokens', limit.tokens] as const) : (['dollars', limit.dollars] as const);
    if (state[unit] < threshold) return undefined;
    return {
      guard: 'cost_exceeds',
      kind: 'attempt_count',
      threshold,
      observed: state[unit],
      evidence: { unit },
    };
  },
  /** `$3.10/3.00`, `1.20 M/1.00 M tokens` */
  figure({ observed, threshold, evidence }) {
    if (evidence.unit === 'tokens') return `${compact(observed)}/${compact(threshold ?? 0)} tokens`;
    return `$${observed.toFixed(2)}/${(threshold ?? 0).toFixed(2)}`;
  },
  headline(trigger) {
    return joinHeadline(`${describeSpent(trigger)} spent`, undefined, CHOOSE);
  },
  question(trigger, progress) {
    return `Cost limit reached: ${describeSpent(trigger)} spent. Current status: ${statusClause(progress)}. How to proceed?`;
  },
  options(_trigger, progress) {
    return orderOptions([continueFromZero, acceptCurrent(progress), review, cancel]);
  },
};

function describeSpent({ observed, threshold, evidence }: Trigger): string {
  if (evidence.unit === 'tokens') return `${observed} of ${threshold} tokens`;
  return `${showDollars(observed)} of ${showDollars(threshold ?? 0)}`;
}

/** In cents, with more digits only where cents would show $0.00. */
function showDollars(dollars: number): string {
  return `$${dollars > 0 && dollars < 0.01 ? Number(dollars.toPrecision(2)) : dollars.toFixed(2)}`;
}
