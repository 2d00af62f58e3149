import type { AgentMetrics } from '../core/contracts/escalation.ts';
import type {
  AnyGuard,
  DeskFigures,
  Guard,
  GuardEvent,
  GuardId,
  GuardLimits,
  GuardStates,
  LimitsInForce,
  ReachedLimit,
  RunLimit,
  Trigger,
  UnapprovedWork,
} from '../core/contracts/guard.ts';
import type { Growth } from '../core/contracts/rules.ts';
import { costInForce } from './cost.ts';
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
  const unreadable = findUnreadable(states);
  const initial = unreadable.map((id) => [id, guardById(id).initial] as const);
  return { states: { ...states, ...Object.fromEntries(initial) }, unreadable };
}

/** Guards that have a state, but not a valid one. */
function findUnreadable(states: GuardStates): GuardId[] {
  return GUARDS.filter(({ id, state }) => id in states && !state.safeParse(states[id]).success).map(
    ({ id }) => id,
  );
}

export function observe(states: GuardStates, event: GuardEvent): GuardStates {
  return Object.fromEntries(GUARDS.map((guard) => [guard.id, guard.reduce(stateOf(states, guard), event)]));
}

export function tripped(states: GuardStates, limits: GuardLimits): Trigger[] {
  return GUARDS.flatMap((guard) => {
    const limit = limitOf(limits, guard);
    const state = stateOf(states, guard);
    const trigger = limit === 'off' ? guard.checkOff?.(state) : guard.check(state, limit);
    return trigger ? [trigger] : [];
  });
}

export function trippedBy(figures: DeskFigures, limits: GuardLimits): Trigger[] {
  return GUARDS.flatMap((guard) => {
    const limit = limitOf(limits, guard);
    if (!guard.countedAtDesk || limit === 'off') return [];
    return guard.check(guard.countedAtDesk(figures), limit) ?? [];
  });
}

export function examine(work: UnapprovedWork, limits: GuardLimits): Trigger[] {
  return GUARDS.flatMap((guard) => guard.examine?.(work, limitOf(limits, guard)) ?? []);
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
 * The limits after an operator's answer. A limit grows beyond the value of its trigger, because it would trip again
 * otherwise. Guards whose limit does not grow are reset by the `rearmed` event instead.
 */
export function growLimits(
  limits: GuardLimits,
  guards: readonly GuardId[],
  by: Growth,
  reached: Partial<Record<GuardId, ReachedLimit>> = {},
): GuardLimits {
  const grown = GUARDS.flatMap((guard) => {
    const { id, runLimit, grow } = guard;
    const limit = limitOf(limits, guard);
    if (!grow || limit === 'off' || !(guards.includes(id) || isNamed(runLimit, by))) return [];
    return [[id, grow(limit, by, reached[id] ?? { observed: 0, evidence: {} })] as const];
  });
  return { ...limits, ...Object.fromEntries(grown) };
}

/** Limits of the whole run, over all its rounds. */
const OVER_ALL_ROUNDS: ReadonlySet<RunLimit | undefined> = new Set<RunLimit>(['cost', 'files', 'scope']);

/** turns are counted by the desk, because a job that claims many of them would get as many more. */
export function startRound(
  states: GuardStates,
  figures: DeskFigures,
  { first, present }: { first: GuardLimits; present: GuardLimits },
): { guards: GuardStates; limits: GuardLimits } {
  const read = readStates(states).states;
  const begun = GUARDS.map((guard) => {
    const state = stateOf(read, guard);
    if (OVER_ALL_ROUNDS.has(guard.runLimit)) return { guard, state, limit: limitOf(present, guard) };
    const limit = limitOf(first, guard);
    // Turns keep their numbers over all rounds, so their limit moves on with them.
    if (limit !== 'off' && guard.nextRound)
      return {
        guard,
        state: guard.countedAtDesk?.(figures) ?? state,
        limit: guard.nextRound(figures, limit),
      };
    return { guard, state: guard.reduce(state, { type: 'agent_changed' }), limit };
  });
  return {
    guards: Object.fromEntries(begun.map(({ guard, state }) => [guard.id, state])),
    limits: { ...present, ...Object.fromEntries(begun.map(({ guard, limit }) => [guard.id, limit])) },
  };
}

function isNamed(limit: RunLimit | undefined, by: Growth): boolean {
  return Object.entries(by).some(([name, more]) => name === limit && more);
}

export function limitsInForce(limits: GuardLimits): LimitsInForce {
  const inForce = new Map(
    GUARDS.map((guard) => [guard.runLimit, { id: guard.id, limit: limitOf(limits, guard) }]),
  );
  const numberOf = (name: RunLimit) => {
    const limit = inForce.get(name)?.limit;
    return typeof limit === 'number' ? limit : null;
  };
  const scope = inForce.get('scope');
  return {
    turns: numberOf('turns'),
    minutes: numberOf('minutes'),
    files: numberOf('files'),
    cost: costInForce(inForce.get('cost')?.limit),
    scope: scope && scope.limit !== 'off' ? scope.id : null,
  };
}

export function withRunLimit(limits: GuardLimits, name: RunLimit, value: unknown): GuardLimits {
  const guard = GUARDS.find(({ runLimit }) => runLimit === name);
  return guard ? { ...limits, [guard.id]: value } : limits;
}

/** A run that is older than the guard has no limit for it, so the default applies. */
function limitOf(limits: GuardLimits, guard: AnyGuard): unknown {
  return limits[guard.id] ?? guard.config.parse(undefined);
}

function stateOf<State>(states: GuardStates, guard: Pick<Guard<State, never>, 'id' | 'initial'>): State {
  return (states[guard.id] as State | undefined) ?? guard.initial;
}
