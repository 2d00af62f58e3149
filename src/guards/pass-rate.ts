import type { PassRate } from '../core/contracts/guard.ts';
import { score, type Verification } from '../core/contracts/verification.ts';

/** Nothing when there is nothing to count: a repository without checks has no pass rate. */
export function passRate(verification: Verification, turn: number): PassRate | undefined {
  const { unit, passed, total } = score(verification);
  return total > 0 ? { turn, unit, passed, total } : undefined;
}

export function isBetter(now: PassRate, best: PassRate): boolean {
  // A test run that breaks down leaves only whole checks to count: that is no better than any count of tests,
  // and tests that can be counted for the first time are progress whatever their number.
  if (now.unit !== best.unit) return now.unit === 'tests';
  const rateIsHigher = now.passed * best.total > best.passed * now.total;
  // Deleting failing tests raises the rate as well: more must pass, or no fewer must be there.
  return rateIsHigher && (now.passed > best.passed || now.total >= best.total);
}

export function isWhole(rate: PassRate): boolean {
  return rate.passed >= rate.total;
}

/** Rounded down, so that 100 % means all. */
export function percent(rate: PassRate): string {
  return `${Math.floor((100 * rate.passed) / rate.total)}%`;
}
