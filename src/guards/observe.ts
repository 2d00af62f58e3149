import type { AgentMetrics } from '../core/contracts/escalation.ts';
import type {
  AnyGuard,
  Guard,
  GuardEvent,
  GuardId,
  GuardLimits,
  GuardStates,
  Trigger,
} from '../core/contracts/guard.ts';
import { countSameErrors, sameErrorRepeated } from './errors.ts';
import { countAttemptsWithoutChange, noFileChangesAfterAttempts } from './file-changes.ts';
import { countFilesModified, filesModifiedExceeds } from './files-modified.ts';
import { GUARDS, guardById } from './registry.ts';
import { countRunsWithoutImprovement, noTestImprovementAfter } from './test-improvement.ts';

export function initialStates(): GuardStates {
  return Object.fromEntries(GUARDS.map((guard) => [guard.id, guard.initial]));
}

/** Guards whose claimed or kept state is unreadable start from their initial state, because a crash would end the run. */
export function readStates(states: GuardStates): { states: GuardStates; unreadable: GuardId[] } {
  const unreadable = notUnderstood(states);
  const begun = unreadable.map((id) => [id, guardById(id).initial] as const);
  return { states: { ...states, ...Object.fromEntries(begun) }, unreadable };
}

/** Guards that have a state, but not a valid one. */
function notUnderstood(states: GuardStates): GuardId[] {
  return GUARDS.filter(({ id, state }) => id in states && !state.safeParse(states[id]).success).map(
    ({ id }) => id,
  );
}

/** One measured event taken in by every guard. */
export function observe(states: GuardStates, event: GuardEvent): GuardStates {
  return Object.fromEntries(GUARDS.map((guard) => [guard.id, guard.reduce(stateOf(states, guard), event)]));
}

/** What trips now, the guard that leads first. */
export function tripped(states: GuardStates, limits: GuardLimits): Trigger[] {
  return GUARDS.flatMap((guard) => {
    const limit = limitOf(limits, guard);
    const state = stateOf(states, guard);
    const trigger = limit === 'off' ? guard.checkOff?.(state) : guard.check(state, limit);
    return trigger ? [trigger] : [];
  });
}

export function metricsOf(states: GuardStates): AgentMetrics {
  return {
    consecutive_same_errors: countSameErrors(stateOf(states, sameErrorRepeated)),
    attempts_without_file_change: countAttemptsWithoutChange(stateOf(states, noFileChangesAfterAttempts)),
    test_runs_without_improvement: countRunsWithoutImprovement(stateOf(states, noTestImprovementAfter)),
    files_modified_count: countFilesModified(stateOf(states, filesModifiedExceeds)),
  };
}

/**
 * The limits after an operator's answer. `observed` is what the triggers measured, so that a limit passed by far grows past it;
 * guards whose limit does not grow are re-armed by the `rearmed` event instead.
 */
export function growLimits(
  limits: GuardLimits,
  guards: readonly GuardId[],
  by: { turns?: number; minutes?: number; files?: number },
  observed: Partial<Record<GuardId, number>> = {},
): GuardLimits {
  const grown = guards.flatMap((id) => {
    const guard = guardById(id);
    const limit = limitOf(limits, guard);
    return guard.grow && limit !== 'off' ? [[id, guard.grow(limit, by, observed[id] ?? 0)] as const] : [];
  });
  return { ...limits, ...Object.fromEntries(grown) };
}

/** A journal older than the guard has no limit for it: the default holds. */
function limitOf(limits: GuardLimits, guard: AnyGuard): unknown {
  return limits[guard.id] ?? guard.config.parse(undefined);
}

function stateOf<State>(states: GuardStates, guard: Pick<Guard<State, never>, 'id' | 'initial'>): State {
  return (states[guard.id] as State | undefined) ?? guard.initial;
}
