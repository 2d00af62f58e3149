import type { BlockerCategory } from './blocked-report.ts';
import type {
  EscalationType,
  GuardEvent,
  GuardId,
  GuardLimits,
  GuardStates,
  Hint,
  LimitsInForce,
  Option,
  Progress,
  Trigger,
  UnapprovedWork,
} from './guard.ts';

/** What the decisions need of the guards. Handed in by the entrypoint, so that the core depends on none of them. */
export interface Rules {
  /** The states of a claim. A guard that cannot read its own starts from zero and is listed as unreadable. */
  readStates(states: GuardStates): { states: GuardStates; unreadable: GuardId[] };
  /** For what happens where no job measures. */
  observe(states: GuardStates, event: GuardEvent): GuardStates;
  tripped(states: GuardStates, limits: GuardLimits): Trigger[];
  /** What trips over finished work. */
  examine(work: UnapprovedWork, limits: GuardLimits): Trigger[];
  limitsInForce(limits: GuardLimits): LimitsInForce;
  /** The limits after an answer: those of `guards`, and the run's limits that `by` names. */
  grow(
    limits: GuardLimits,
    guards: GuardId[],
    by: Growth,
    observed: Partial<Record<GuardId, number>>,
  ): GuardLimits;
  /** One question for all that tripped at once (E-8, G-13). */
  describe(triggers: readonly Trigger[], progress: Progress): TriggerWords;
}

export interface TriggerWords {
  type: EscalationType;
  headline: string;
  question: string;
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
