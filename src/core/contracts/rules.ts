import type { BlockerCategory } from './agent/blocked-report.ts';
import type {
  DeskFigures,
  EscalationType,
  GuardEvent,
  GuardId,
  GuardLimits,
  GuardStates,
  Hint,
  LimitsInForce,
  Option,
  Progress,
  ReachedLimit,
  Trigger,
  UnapprovedWork,
} from './guard.ts';

/** The guards as the decisions use them. Passed in by the entrypoint, so that the core does not depend on any guard. */
export interface Rules {
  /** Validates the guard states of a claim. Guards whose state is unreadable start from their initial state. */
  readStates(states: GuardStates): { states: GuardStates; unreadable: GuardId[] };
  /** Counts an event at the desk, where no job measures. */
  observe(states: GuardStates, event: GuardEvent): GuardStates;
  tripped(states: GuardStates, limits: GuardLimits): Trigger[];
  /** the triggers by the desk's own figures, whatever the job claims. */
  trippedBy(figures: DeskFigures, limits: GuardLimits): Trigger[];
  /** The triggers of finished work that needs an approval before it is committed. */
  examine(work: UnapprovedWork, limits: GuardLimits): Trigger[];
  limitsInForce(limits: GuardLimits): LimitsInForce;
  /** Limits and counters of a new round: as at the beginning of the run, except for what counts over all rounds (V-1). */
  startRound(
    states: GuardStates,
    figures: DeskFigures,
    limits: { first: GuardLimits; present: GuardLimits },
  ): { guards: GuardStates; limits: GuardLimits };
  /** The limits after an answer: those of `guards`, and the run's limits that `by` names. */
  grow(
    limits: GuardLimits,
    guards: GuardId[],
    by: Growth,
    reached: Partial<Record<GuardId, ReachedLimit>>,
  ): GuardLimits;
  /** The words of one question about all triggers of a moment (E-8). The guard that names the cause leads; Cancel is offered once and last (G-13). */
  describe(triggers: readonly Trigger[], progress: Progress): TriggerWords;
}

export interface TriggerWords {
  type: EscalationType;
  headline: string;
  question: string;
  why: string;
  headers: string[];
  hint?: Hint;
  category: BlockerCategory;
  options: Option[];
  /** The leading trigger first. */
  triggers: Trigger[];
}

export interface Growth {
  turns?: number;
  minutes?: number;
  files?: number;
}
