import type { Answer } from '../../contracts/answer.ts';
import type { Decision } from '../decision.ts';

/** Gives the agent an instruction that is no person's answer, so no limit grows and no counter restarts. */
export function instructNextTurn(
  at: string,
  instruction: Pick<Answer, 'id' | 'command' | 'by' | 'instruction'>,
): Decision {
  const answer: Answer = {
    ...instruction,
    inputs: {},
    rearm: [],
    ends_turn: false,
    next_turn: 'normal',
    agent_changed: false,
  };
  return { events: [{ type: 'answer_prepared', at, answer }], effects: [] };
}
