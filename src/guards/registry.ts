import type { AnyGuard, GuardId } from '../core/contracts/guard.ts';
import { costExceeds } from './cost.ts';
import { consecutiveErrors, sameErrorRepeated } from './errors.ts';
import { externalBlocker } from './external-blocker.ts';
import { noFileChangesAfterAttempts } from './file-changes.ts';
import { filesModifiedExceeds } from './files-modified.ts';
import { maxIterations } from './iterations.ts';
import { loopDetected } from './loop.ts';
import { needHelp } from './need-help.ts';
import { reviewRequired } from './review.ts';
import { maxRuntime } from './runtime.ts';
import { specDeviationDetected } from './scope.ts';
import { noTestImprovementAfter } from './test-improvement.ts';
import { totalVerificationAttempts } from './verification-attempts.ts';

/** The only list of guards. If several trip at once, the earliest cause in this list leads, see `describeTriggers`. */
export const GUARDS: readonly AnyGuard[] = [
  externalBlocker,
  needHelp,
  reviewRequired,
  filesModifiedExceeds,
  specDeviationDetected,
  sameErrorRepeated,
  loopDetected,
  noTestImprovementAfter,
  noFileChangesAfterAttempts,
  consecutiveErrors,
  costExceeds,
  totalVerificationAttempts,
  maxRuntime,
  maxIterations,
];

export function guardById(id: GuardId): AnyGuard {
  const guard = GUARDS.find((candidate) => candidate.id === id);
  if (!guard) throw new Error(`no guard has the id ${id}: add it to GUARDS`);
  return guard;
}
