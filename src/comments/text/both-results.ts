import type { RunState } from '../../core/contracts/run-state.ts';
import { score, type Verification } from '../../core/contracts/verification.ts';

/**
 * `4/4 with its own tests, 2/3 with yours`, for work that changes files the checks depend on. The units are named if they
 * differ. Undefined if the checks ran only once.
 */
export function bothResults({ fresh, with_base }: Pick<RunState, 'fresh' | 'with_base'>): string | undefined {
  return fresh && with_base && compareResults(fresh, with_base.verification);
}

export function compareResults(own: Verification, yours: Verification): string {
  const [one, other] = [score(own), score(yours)];
  const unit = (name: string) => (one.unit === other.unit ? '' : ` ${name}`);
  return `${one.passed}/${one.total}${unit(one.unit)} with its own tests, ${other.passed}/${other.total}${unit(other.unit)} with yours`;
}
