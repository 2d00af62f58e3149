import { compact } from '../../core/compact.ts';
import type { CostInForce } from '../../core/contracts/guard.ts';
import { money } from './words.ts';

interface Spent {
  /** Null: the agent does not report its cost. */
  cost_usd: number | null;
  /** Without cached reads. */
  tokens?: number;
}

/** `$1.24/10.00`, `310 k/5.00 M tokens`; without a limit `$1.24`. Undefined if nothing is known that could be shown. */
export function costFigure(
  { cost_usd, tokens = 0 }: Spent,
  limit: CostInForce | null = null,
): string | undefined {
  if (limit?.tokens !== undefined && tokens > 0 && (limit.dollars === undefined || !cost_usd))
    return `${cost_usd ? `${money(cost_usd)}, ` : ''}${compact(tokens)}/${compact(limit.tokens)} tokens`;
  if (cost_usd === null) return undefined;
  return limit?.dollars === undefined ? money(cost_usd) : `${money(cost_usd)}/${limit.dollars.toFixed(2)}`;
}
