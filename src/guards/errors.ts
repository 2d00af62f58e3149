import * as z from 'zod';
import { type Guard, type GuardEvent, Occurrence, PassRate } from '../core/contracts/guard.ts';
import { AGENT_ITSELF } from '../core/errors/agent-itself.ts';
import { type Failure, readOutcome, type Sighting } from './counting/failing-operations.ts';
import { countLimit } from './counting/limit-schema.ts';
import { isBetter, passRate } from './counting/pass-rate.ts';
import {
  acceptCurrent,
  cancel,
  debugFirst,
  orderOptions,
  retryWithContext,
  review,
  skipAndContinue,
  terminate,
} from './words/options.ts';
import { HINT_FIRST, IF_CAUSE_SEEN, joinHeadline, oneLine, plural, WHAT_NEXT } from './words/wording.ts';

/** Both guards count failing operations. Each has its own count, because answers re-arm them separately. */

const SIGNATURES_KEPT = 20;
const OCCURRENCES_KEPT = 10;
const REMEDIATION_KEPT = 10;
/** Also the highest threshold, so that no hit that still counts is dropped. */
const HITS_KEPT = 100;

/** One failing operation that showed the error. It is dropped once every command in it passes. */
const Hit = z.object({
  operations: z.array(z.string()),
  /** Only the newest hits have it. */
  occurrence: Occurrence.optional(),
});
type Hit = z.infer<typeof Hit>;

const Tracked = z.object({ signature: z.string(), hits: z.array(Hit) });
type Tracked = z.infer<typeof Tracked>;

const SameErrorState = z.object({
  tracked: z.array(Tracked),
  debugging: z.boolean(),
  best: PassRate.nullable().default(null),
});
type SameErrorState = z.infer<typeof SameErrorState>;

const noErrors: SameErrorState = { tracked: [], debugging: false, best: null };

/** E-1 */
export const sameErrorRepeated: Guard<SameErrorState, number> = {
  id: 'same_error_repeated',
  trips: 'the same error occurs this many times in a row.',
  names: 'cause',
  header: 'Repeated Error',
  counter: 'Same error',
  hint: HINT_FIRST,
  category: 'test_failure',
  type: 'repeated_error',
  kind: 'error_count',
  ...countLimit(3, HITS_KEPT),
  initial: noErrors,
  state: SameErrorState,
  reduce(state, event) {
    if (startsAgain(event, 'same_error_repeated')) return { ...state, tracked: [] };
    const debugging = isDebugging(state.debugging, event);
    const rate = rateOf(event);
    const better = rate && state.best && isBetter(rate, state.best);
    const measured = { ...state, debugging, best: better ? rate : (state.best ?? rate ?? null) };
    const outcome = debugging ? undefined : readOutcome(event);
    if (!outcome) return rate || debugging !== state.debugging ? measured : state;
    const { passed, failure, tried } = outcome;
    // Passing checks do not show that a failing agent works. A new best pass rate does.
    const counted = better ? state.tracked.filter((error) => !isOfAgent(error)) : state.tracked;
    const tracked =
      passed === 'all' ? counted.filter(isOfAgent) : counted.flatMap((error) => forget(error, passed));
    // A failure without a readable error is not "a different error", because nobody knows which error it was.
    if (failure && failure.sightings.length > 0) return { ...measured, tracked: track(tracked, failure) };
    if (tried) return { ...measured, tracked: tracked.map((error) => addTried(error, tried)) };
    return { ...measured, tracked };
  },
  check({ tracked }, limit) {
    const most = tracked.reduce<Tracked | undefined>(
      (found, error) => (error.hits.length > (found?.hits.length ?? 0) ? error : found),
      undefined,
    );
    if (!most || most.hits.length < limit) return undefined;
    const occurrences = most.hits.flatMap(({ occurrence }) => (occurrence ? [occurrence] : []));
    return {
      guard: 'same_error_repeated',
      kind: 'error_count',
      threshold: limit,
      observed: most.hits.length,
      evidence: { signature: most.signature, occurrences },
    };
  },
  headline({ observed }) {
    return joinHeadline(`same error ${plural(observed, 'time')}`, undefined, 'a hint would help');
  },
  question({ observed, evidence }) {
    const error = lastMessage(evidence.occurrences);
    return `The same error occurred ${plural(observed, 'time')} in a row: "${error}". How to proceed?`;
  },
  why: ({ evidence }) => `Each time: "${lastMessage(evidence.occurrences)}"`,
  options(_trigger, progress) {
    return orderOptions([
      retryWithContext,
      debugFirst,
      skipAndContinue(),
      acceptCurrent(progress),
      review,
      terminate,
    ]);
  },
};

/** The longest row of the same error. */
export function countSameErrors({ tracked }: SameErrorState): number {
  return Math.max(0, ...tracked.map((error) => error.hits.length));
}

function forget({ signature, hits }: Tracked, passed: readonly string[]): Tracked[] {
  const left = hits.flatMap((hit) => {
    const operations = hit.operations.filter((operation) => !passed.includes(operation));
    return operations.length > 0 ? [{ ...hit, operations }] : [];
  });
  return left.length > 0 ? [{ signature, hits: left }] : [];
}

function isOfAgent({ hits }: Tracked): boolean {
  return hits.some(({ operations }) => operations.includes(AGENT_ITSELF));
}

/**
 * Drops errors that the failure does not show. Errors that it shows again come first, so that the bound never drops their
 * count. Failures of the agent itself and failures of its work are counted apart, so neither resets the other.
 */
function track(tracked: readonly Tracked[], failure: Failure): Tracked[] {
  const seen = new Map(failure.sightings.map((sighting) => [sighting.error.signature, sighting]));
  const ofAgent = failure.operations.includes(AGENT_ITSELF);
  const others = tracked.filter((error) => isOfAgent(error) !== ofAgent && !seen.has(error.signature));
  const again = tracked.flatMap(({ signature, hits }) => {
    const sighting = seen.get(signature);
    return sighting ? [{ signature, hits: addHit(hits, failure, sighting) }] : [];
  });
  const known = new Set(again.map((error) => error.signature));
  const added = failure.sightings
    .filter(({ error }) => !known.has(error.signature))
    .map((sighting) => ({ signature: sighting.error.signature, hits: addHit([], failure, sighting) }));
  const row = [...again, ...added];
  return (ofAgent ? [...row, ...others] : [...others, ...row]).slice(0, SIGNATURES_KEPT);
}

function addHit(hits: readonly Hit[], failure: Failure, { error, operations }: Sighting): Hit[] {
  const [operation = ''] = operations;
  const { turn, at } = failure;
  const hit: Hit = { operations, occurrence: { turn, at, operation, error, remediation: [] } };
  const all = [...hits, hit].slice(-HITS_KEPT);
  return all.map((each, index) =>
    index < all.length - OCCURRENCES_KEPT ? { operations: each.operations } : each,
  );
}

function addTried({ signature, hits }: Tracked, title: string): Tracked {
  const last = hits.at(-1);
  if (!last?.occurrence) return { signature, hits };
  return { signature, hits: hits.with(-1, { ...last, occurrence: remediate(last.occurrence, title) }) };
}

function remediate(occurrence: Occurrence, title: string): Occurrence {
  return { ...occurrence, remediation: [...occurrence.remediation, title].slice(-REMEDIATION_KEPT) };
}

const StreakState = z.object({
  count: z.number(),
  operations: z.array(z.string()),
  occurrences: z.array(Occurrence),
  best: PassRate.nullable(),
  last: PassRate.nullable(),
  debugging: z.boolean(),
});
type StreakState = z.infer<typeof StreakState>;

const noStreak: StreakState = {
  count: 0,
  operations: [],
  occurrences: [],
  best: null,
  last: null,
  debugging: false,
};

/** G-4. Failing operations in a row. The row ends when a failed operation passes, or with a better pass rate. */
export const consecutiveErrors: Guard<StreakState, number> = {
  id: 'consecutive_errors',
  trips: 'this many operations in a row fail, with any error.',
  names: 'symptom',
  header: 'Error Threshold',
  counter: 'Errors in a row',
  hint: IF_CAUSE_SEEN,
  category: 'test_failure',
  type: 'error_threshold',
  kind: 'error_count',
  ...countLimit(5, HITS_KEPT),
  initial: noStreak,
  state: StreakState,
  reduce(state, event) {
    if (startsAgain(event, 'consecutive_errors')) return endStreak(state);
    const rate = rateOf(event);
    const debugging = isDebugging(state.debugging, event);
    const better = rate && state.best && isBetter(rate, state.best);
    const measured: StreakState = {
      ...state,
      debugging,
      best: better ? rate : (state.best ?? rate ?? null),
      last: rate ?? state.last,
    };
    const outcome = debugging ? undefined : readOutcome(event);
    if (!outcome) return rate || debugging !== state.debugging ? measured : state;
    const { passed, failure, tried } = outcome;
    // A new best pass rate shows that the agent works, even if its process fails.
    if (better) return endStreak(measured);
    if (passed === 'all') return keepOfAgent(measured);
    const overcome = state.operations.filter((operation) => passed.includes(operation));
    const streak = overcome.includes(AGENT_ITSELF)
      ? endStreak(measured)
      : overcome.length > 0
        ? keepOfAgent(measured)
        : measured;
    if (failure) return addFailure(streak, failure);
    const lastOccurrence = streak.occurrences.at(-1);
    if (!tried || !lastOccurrence) return streak;
    return { ...streak, occurrences: streak.occurrences.with(-1, remediate(lastOccurrence, tried)) };
  },
  check({ count, occurrences }, limit) {
    if (count < limit) return undefined;
    return {
      guard: 'consecutive_errors',
      kind: 'error_count',
      threshold: limit,
      observed: count,
      evidence: { occurrences },
    };
  },
  headline({ observed }) {
    return joinHeadline(`${plural(observed, 'error')} in a row`, undefined, WHAT_NEXT);
  },
  question({ observed, evidence }) {
    const counted = `${observed} consecutive error${observed === 1 ? '' : 's'} occurred`;
    return `${counted}. Last error: "${lastMessage(evidence.occurrences)}". How to proceed?`;
  },
  why: ({ evidence }) => `The last one: "${lastMessage(evidence.occurrences)}"`,
  options() {
    return orderOptions([retryWithContext, debugFirst, skipAndContinue(), review, cancel]);
  },
};

/** Later improvements are measured from the last pass rate. */
function endStreak(state: StreakState): StreakState {
  return { ...noStreak, best: state.last, last: state.last, debugging: state.debugging };
}

/** Keeps failures of the agent itself. Passing checks do not end them, because the checks may have passed all along. */
function keepOfAgent(state: StreakState): StreakState {
  const occurrences = state.occurrences.filter(({ operation }) => operation === AGENT_ITSELF);
  const operations = occurrences.length > 0 ? [AGENT_ITSELF] : [];
  return { ...endStreak(state), count: occurrences.length, operations, occurrences };
}

function addFailure(streak: StreakState, { at, turn, operations, sightings, label }: Failure): StreakState {
  const [sighting] = sightings;
  const [operation = ''] = sighting?.operations ?? operations;
  const error = sighting?.error ?? { message: label, signature: `failed:${operation}` };
  return {
    ...streak,
    count: streak.count + 1,
    operations: [...new Set([...streak.operations, ...operations])].slice(-HITS_KEPT),
    occurrences: [...streak.occurrences, { turn, at, operation, error, remediation: [] }].slice(
      -OCCURRENCES_KEPT,
    ),
  };
}

function rateOf(event: GuardEvent): PassRate | undefined {
  if (event.type === 'baseline') return passRate(event.verification, 0);
  return event.type === 'verified' ? passRate(event.verification, event.turn) : undefined;
}

function startsAgain(event: GuardEvent, guard: 'same_error_repeated' | 'consecutive_errors'): boolean {
  return event.type === 'agent_changed' || (event.type === 'rearmed' && event.guards.includes(guard));
}

/** A debugging turn repeats the failure on purpose, so its failures are no new occurrences. */
function isDebugging(before: boolean, event: GuardEvent): boolean {
  if (event.type === 'turn_started') return event.counted === false;
  return event.type === 'turn_ended' ? false : before;
}

function lastMessage(occurrences: readonly Occurrence[] = []): string {
  return oneLine(occurrences.at(-1)?.error.message ?? 'unknown');
}
