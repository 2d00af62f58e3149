import type { PassRate } from '../../core/contracts/guard.ts';
import { score, type Verification } from '../../core/contracts/verification.ts';

/** Undefined if nothing was counted, as in a repository without checks. */
export function passRate(verification: Verification, turn: number): PassRate | undefined {
  const { unit, passed, total } = score(verification);
  return total > 0 ? { turn, unit, passed, total } : undefined;
}

export function isBetter(now: PassRate, best: PassRate): boolean {
  // When a test run crashes, only whole checks can be counted, which is never better than a count of tests.
  // Tests that can be counted for the first time are always progress.
  if (now.unit !== best.unit) return now.unit === 'tests';
  const rateIsHigher = now.passed * best.total > best.passed * now.total;
  // Deleting failing tests raises the rate as well, so either more tests pass or there are no fewer of them.
  return rateIsHigher && (now.passed > best.passed || now.total >= best.total);
}

export function isWhole(rate: PassRate): boolean {
  return rate.passed >= rate.total;
}

/** Rounded down, so that 100 % means all. */
export function percent(rate: PassRate): string {
  return `${Math.floor((100 * rate.passed) / rate.total)}%`;
}
