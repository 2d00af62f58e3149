import type { Rules } from '../../contracts/rules.ts';
import { phaseOf, type RunState } from '../../contracts/run-state.ts';
import type { RunLog } from '../../ports/run-log.ts';
import type { Spending } from '../../ports/spending.ts';
import { type Handled, handle } from '../handle.ts';

interface BudgetStore {
  runs: RunLog;
  spending: Spending;
}

/** `2026-11`, in UTC. */
export function monthOf(at: string): string {
  return at.slice(0, 7);
}

/** Pauses a run whose repository has spent its month's budget. Undefined if there is nothing to pause. */
export async function checkBudget(
  { runs, spending }: BudgetStore,
  rules: Rules,
  state: RunState,
  at: string,
): Promise<Handled | undefined> {
  const month = monthOf(at);
  if (phaseOf(state) !== 'working' || state.allowed_over_budget === month) return undefined;
  const target = await runs.target(state.run);
  const most = target?.monthly_dollars;
  if (most === undefined) return undefined;
  const dollars = await spending.inMonth(target?.repo_id ?? 0, month);
  if (dollars < most) return undefined;
  const handled = await handle(runs, rules, state.run, { type: 'budget_reached', at, month, dollars, most });
  return handled?.events.length ? handled : undefined;
}
