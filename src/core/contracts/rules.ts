import type {
  EscalationType,
  GuardEvent,
  GuardId,
  GuardLimits,
  GuardStates,
  Option,
  Standing,
  Trigger,
} from './guard.ts';

/** The guards as the decisions use them. Passed in by the entrypoint, so that the core does not depend on any guard. */
export interface Rules {
  /** Validates the guard states of a claim. Guards whose state is unreadable start from their initial state. */
  readStates(states: GuardStates): { states: GuardStates; unreadable: GuardId[] };
  /** Counts an event at the desk, where no job measures. */
  observe(states: GuardStates, event: GuardEvent): GuardStates;
  tripped(states: GuardStates, limits: GuardLimits): Trigger[];
  grow(
    limits: GuardLimits,
    guards: GuardId[],
    by: Growth,
    observed: Partial<Record<GuardId, number>>,
  ): GuardLimits;
  /** The words of one question about all triggers of a moment. The first trigger leads; Cancel is offered once and last (G-13). */
  describe(triggers: [Trigger, ...Trigger[]], standing: Standing): TriggerWords;
}

export interface TriggerWords {
  type: EscalationType;
  headline: string;
  question: string;
  headers: string[];
  options: Option[];
}

export interface Growth {
  turns?: number;
  minutes?: number;
  files?: number;
}
