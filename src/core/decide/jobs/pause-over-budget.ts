import type { Input } from '../../contracts/input.ts';
import { phaseOf, type RunState } from '../../contracts/run-state.ts';
import { type Decision, NOTHING } from '../decision.ts';
import { pause } from './end-job.ts';

type BudgetReached = Extract<Input, { type: 'budget_reached' }>;

/** The work is verified all the same, because no agent takes part in it. */
export function pauseOverBudget(state: RunState, { at, month, dollars, most }: BudgetReached): Decision {
  if (phaseOf(state) !== 'working' || state.verifying !== undefined) return NOTHING;
  if (state.allowed_over_budget === month) return NOTHING;
  const title = `Paused: the repository's runs have cost $${dollars.toFixed(2)} in ${month} (UTC), $${most.toFixed(2)} are allowed.`;
  const detail = [
    'The work is saved. `/continue` by someone with the role maintain lets this run continue in this month, within its own limits.',
    'From the next month on, `/continue` by anyone who may give it is enough.',
    'The limit is `limits.monthly_dollars` in `.github/autobuild.yml`; another value applies to issues that are labelled afterwards.',
  ].join(' ');
  return pause(state, at, [], [{ type: 'reply', reply: { tone: 'waiting', title, detail } }], month);
}
