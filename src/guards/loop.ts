import * as z from 'zod';
import type { Guard } from '../core/contracts/guard.ts';
import { countLimit } from './counting/limit-schema.ts';
import { acceptCurrent, cancel, debugFirst, orderOptions, review, tryDifferently } from './words/options.ts';
import { clip, IF_CAUSE_SEEN, joinHeadline, oneLine, plural, WHAT_NEXT } from './words/wording.ts';

const SIGNATURE_CHARS = 500;
const TURNS_KEPT = 50;

const LoopState = z.object({
  signature: z.string().nullable(),
  count: z.number(),
  turns: z.array(z.number().int()),
});
type LoopState = z.infer<typeof LoopState>;

const initial: LoopState = { signature: null, count: 0, turns: [] };

/** G-3. The verification has the same failing result in several turns, although files changed in between. */
export const loopDetected: Guard<LoopState, number> = {
  id: 'loop_detected',
  trips: 'this many verifications in a row have the same failing result.',
  names: 'symptom',
  header: 'Loop Detected',
  counter: 'Same result',
  hint: IF_CAUSE_SEEN,
  category: 'test_failure',
  type: 'loop_detected',
  kind: 'attempt_count',
  ...countLimit(3, 1000),
  initial,
  state: LoopState,
  reduce(state, event) {
    if (event.type === 'agent_changed') return initial;
    if (event.type === 'rearmed') return event.guards.includes('loop_detected') ? initial : state;
    if (event.type !== 'verified') return state;
    if (event.signature === 'pass') return initial;
    const signature = clip(event.signature, SIGNATURE_CHARS);
    const before = signature === state.signature ? state : initial;
    return {
      signature,
      count: before.count + 1,
      turns: [...before.turns, event.turn].slice(-TURNS_KEPT),
    };
  },
  check({ signature, count, turns }, limit) {
    if (signature === null || count < limit) return undefined;
    return {
      guard: 'loop_detected',
      kind: 'attempt_count',
      threshold: limit,
      observed: count,
      evidence: { signature, turns },
    };
  },
  headline({ observed, evidence }) {
    const which = observed === 1 ? 'the last turn' : `the last ${observed} turns`;
    return joinHeadline(`${which} ${describeResult(evidence.signature ?? '')}`, undefined, WHAT_NEXT);
  },
  question({ observed, evidence }) {
    const pattern = oneLine(evidence.signature ?? '');
    return `Loop detected - same output pattern repeated ${plural(observed, 'time')}: "${pattern}". How to proceed?`;
  },
  options({ evidence }, progress) {
    return orderOptions([
      tryDifferently(evidence.turns ?? []),
      debugFirst,
      acceptCurrent(progress),
      review,
      cancel,
    ]);
  },
};

/** Signatures begin with `test-fail:` and a number of tests, or with `error:`. */
function describeResult(signature: string): string {
  const tests = /^test-fail:(\d+)/.exec(signature)?.[1];
  if (tests) return tests === '1' ? 'failed the same test' : 'failed the same tests';
  return signature.startsWith('error:') ? 'ended with the same error' : 'ended the same way';
}
