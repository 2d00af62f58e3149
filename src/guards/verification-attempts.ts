import * as z from 'zod';
import type { Guard } from '../core/contracts/guard.ts';
import { countLimit } from './counting/limit-schema.ts';
import { acceptCurrent, allowAnother, debugFirst, orderOptions, review, terminate } from './words/options.ts';
import { IF_CAUSE_SEEN, joinHeadline, plural, statusClause, WHAT_NEXT } from './words/wording.ts';

const TURNS_KEPT = 50;

const VerificationState = z.object({ count: z.number(), turns: z.array(z.number().int()) });
type VerificationState = z.infer<typeof VerificationState>;

const initial: VerificationState = { count: 0, turns: [] };

/** E-2. Counts all verifications that Autobuild ran, except the baseline. */
export const totalVerificationAttempts: Guard<VerificationState, number> = {
  id: 'total_verification_attempts',
  trips: 'Autobuild has verified the work this many times.',
  names: 'symptom',
  header: 'Verification Limit',
  counter: 'Verifications',
  hint: IF_CAUSE_SEEN,
  category: 'test_failure',
  type: 'verification_limit',
  kind: 'attempt_count',
  ...countLimit(10, 1000),
  initial,
  state: VerificationState,
  reduce(state, event) {
    if (event.type === 'agent_changed') return initial;
    if (event.type === 'rearmed') {
      return event.guards.includes('total_verification_attempts') ? initial : state;
    }
    if (event.type !== 'verified') return state;
    return { count: state.count + 1, turns: [...state.turns, event.turn].slice(-TURNS_KEPT) };
  },
  countedAtDesk: ({ verifications }) => ({ count: verifications, turns: [] }),
  check({ count, turns }, limit) {
    if (count < limit) return undefined;
    return {
      guard: 'total_verification_attempts',
      kind: 'attempt_count',
      threshold: limit,
      observed: count,
      evidence: { turns },
    };
  },
  grants: ({ threshold }) => `another ${plural(threshold ?? 0, 'verification')}`,
  headline({ observed, threshold }) {
    return joinHeadline(`${observed} of ${threshold} verifications used`, undefined, WHAT_NEXT);
  },
  question({ threshold }, progress) {
    return `Verification limit (${threshold}) reached. Current status: ${statusClause(progress)}. How to proceed?`;
  },
  options({ threshold }, progress) {
    const another = allowAnother(plural(threshold ?? 0, 'verification'));
    return orderOptions([another, debugFirst, acceptCurrent(progress), review, terminate]);
  },
};
