import type { LimitsInForce } from '../../core/contracts/guard.ts';
import { figuresOfRound, type RunState } from '../../core/contracts/run-state.ts';

interface PresentFigures {
  turn: number;
  max_turns: number | null;
  active_ms: number;
  /** The number of the round. The build has none. */
  number?: number;
}

/** V-1: the figures that the limits of turns and time are about: those of the present round, or of the build. */
export function presentFigures(state: RunState, { turns }: Pick<LimitsInForce, 'turns'>): PresentFigures {
  const { turn, active_ms } = state;
  return (
    figuresOfRound(state, { turn, max_turns: turns, active_ms }) ?? { turn, max_turns: turns, active_ms }
  );
}
