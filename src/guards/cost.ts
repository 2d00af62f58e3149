import * as z from 'zod';
import { compact } from '../core/compact.ts';
import type { CostInForce, Guard, Trigger } from '../core/contracts/guard.ts';
import { limitSchema } from './counting/limit-schema.ts';
import { acceptCurrent, allowAnother, cancel, orderOptions, review } from './words/options.ts';
import { joinHeadline, statusClause, WHAT_NEXT } from './words/wording.ts';

const DOLLARS = 10;
const TOKENS = 5_000_000;

const allowed =
  'dollars, a number above 0, `{dollars: N}`, `{tokens: N}`, `{dollars: N, tokens: N}` (tokens where the agent reports no money), or `off`';
const amount = z.number().positive();
const GivenLimit = z.union([
  amount.transform((dollars) => ({ dollars, tokens: TOKENS })),
  z.strictObject({ dollars: amount, tokens: amount.int().optional() }),
  z.strictObject({ tokens: amount.int() }),
]);
/** `step` is what an answer adds. Before the first answer it is the limit itself. */
type CostLimit = CostInForce & { step?: CostInForce };

const CostState = z.object({ dollars: z.number(), tokens: z.number() });
type CostState = z.infer<typeof CostState>;

const initial: CostState = { dollars: 0, tokens: 0 };

/** The budget of the run. Cached reads are not counted as tokens, because they cost a tenth or less. */
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
  config: limitSchema<CostLimit>(GivenLimit as z.ZodType<CostLimit>, allowed, {
    dollars: DOLLARS,
    tokens: TOKENS,
  }),
  allowed,
  initial,
  state: CostState,
  reduce(state, event) {
    if (event.type === 'agent_changed') return initial;
    if (event.type !== 'usage') return state;
    return {
      // Rounded to a millionth, because ten times $0.10 has to reach $1.
      dollars: Math.round((state.dollars + event.cost_usd) * 1e6) / 1e6,
      tokens: state.tokens + event.input_tokens + event.output_tokens - (event.cached_tokens ?? 0),
    };
  },
  check(state, limit) {
    const unit = unitOf(state, limit);
    const threshold = limit[unit];
    if (threshold === undefined || state[unit] < threshold) return undefined;
    return {
      guard: 'cost_exceeds',
      kind: 'attempt_count',
      threshold,
      observed: state[unit],
      evidence: { unit, step: limit.step?.[unit] ?? threshold },
    };
  },
  grow(limit, _by, { observed, evidence }) {
    const unit = evidence.unit === 'tokens' ? 'tokens' : 'dollars';
    const { step = { dollars: limit.dollars, tokens: limit.tokens } } = limit;
    const before = limit[unit];
    const more = step[unit];
    if (before === undefined || more === undefined) return limit;
    return { ...limit, step, [unit]: before + more > observed ? before + more : observed + more };
  },
  /** `$3.10/3.00`, `1.20 M/1.00 M tokens` */
  figure({ observed, threshold, evidence }) {
    if (evidence.unit === 'tokens') return `${compact(observed)}/${compact(threshold ?? 0)} tokens`;
    return `$${observed.toFixed(2)}/${(threshold ?? 0).toFixed(2)}`;
  },
  headline(trigger) {
    return joinHeadline(`${describeSpent(trigger)} spent`, undefined, WHAT_NEXT);
  },
  grants: (trigger) => `another ${describeStep(trigger)}`,
  question(trigger, progress) {
    return `Cost limit reached: ${describeSpent(trigger)} spent. Current status: ${statusClause(progress)}. How to proceed?`;
  },
  options(trigger, progress) {
    return orderOptions([allowAnother(describeStep(trigger)), acceptCurrent(progress), review, cancel]);
  },
};

/** The limit as it is shown beside the cost. Null if there is none. */
export function costInForce(limit: unknown): CostInForce | null {
  if (limit === undefined || limit === 'off') return null;
  const { dollars, tokens } = limit as CostLimit;
  return { dollars, tokens };
}

function unitOf({ dollars }: CostState, limit: CostLimit): 'dollars' | 'tokens' {
  if (limit.tokens === undefined) return 'dollars';
  return limit.dollars === undefined || dollars === 0 ? 'tokens' : 'dollars';
}

function describeStep({ threshold, evidence }: Trigger): string {
  const more = evidence.step ?? threshold ?? 0;
  return evidence.unit === 'tokens' ? `${compact(more)} tokens` : showDollars(more);
}

function describeSpent({ observed, threshold, evidence }: Trigger): string {
  if (evidence.unit === 'tokens') return `${compact(observed)} of ${compact(threshold ?? 0)} tokens`;
  return `${showDollars(observed)} of ${showDollars(threshold ?? 0)}`;
}

/** In cents, with more digits only where cents would show $0.00. */
function showDollars(dollars: number): string {
  return `$${dollars > 0 && dollars < 0.01 ? Number(dollars.toPrecision(2)) : dollars.toFixed(2)}`;
}
