/** The blocker taxonomy as data, shared by the prompt, the parser and the renderer (K-2, K-3, K-4, K-9). */

export const SOFT_BLOCKERS = {
  timeout: 'An operation ran into its time limit.',
  context_exhaustion_handoff: 'The context is nearly full; a successor continues from the handoff document.',
  phase_incomplete: 'A phase is not finished, but there was progress.',
  mcp_transient: 'A tool failed in a way that a retry may overcome.',
} as const;

export const HARD_BLOCKERS = {
  mathematically_false: {
    meaning: 'What the task asks for is false or contradictory: a counterexample exists.',
    headline: 'what the task asks for seems to be false, a decision is needed',
  },
  missing_dependency: {
    meaning: 'A library, service or file the task depends on is not available.',
    headline: 'something the task depends on is missing, a decision is needed',
  },
  unresolvable_build_error: {
    meaning: 'The build fails in code you may not or cannot change.',
    headline: 'the build fails where the agent may not change it, a decision is needed',
  },
  invalid_specification: {
    meaning: 'The task as written cannot work.',
    headline: 'the task as written cannot be built, a decision is needed',
  },
  resource_exhausted: {
    meaning: 'Something you need is gone for good, with no substitute.',
    headline: 'something the agent needs is gone for good, a decision is needed',
  },
  strategy_failed: {
    meaning: 'Every planned approach was tried and none works.',
    headline: 'every planned approach has been tried, a decision is needed',
  },
} as const;
export type HardBlocker = keyof typeof HARD_BLOCKERS;

const OTHER_NAMES: Record<string, HardBlocker> = { strategy_exhausted: 'strategy_failed' };

/** Reasons that must not be flagged for review, because a successor can continue from each of them. */
export const DO_NOT_FLAG = [
  'a timeout, or a context that is nearly full',
  'a tool or network failure that a retry may overcome',
  'a phase that is partly done, with a clear next step',
  'work handed over to a successor',
] as const;

/** The questions in order. The first answer that has an outcome decides. */
export const DECISION_TREE = [
  { question: 'Can a successor fix it?', yes: 'report `partial`, do not set `requires_user_review`' },
  {
    question: 'Does it need human judgement?',
    yes: 'set `requires_user_review: true` with a `review_reason`',
    no: 'report `failed`',
  },
] as const;

export function hardBlocker(type: string): HardBlocker | undefined {
  const name = Object.hasOwn(OTHER_NAMES, type) ? OTHER_NAMES[type] : type;
  return Object.hasOwn(HARD_BLOCKERS, name ?? '') ? (name as HardBlocker) : undefined;
}
