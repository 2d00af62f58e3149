import type { Answer } from '../../contracts/answer.ts';
import type { Decision } from '../decision.ts';

/** What the agent is told at its next turn without anybody having answered: no limit grows, no counter starts again. */
export function tellNextTurn(
  at: string,
  told: Pick<Answer, 'id' | 'command' | 'by' | 'instruction'>,
): Decision {
  const answer: Answer = {
    ...told,
    inputs: {},
    rearm: [],
    ends_turn: false,
    next_turn: 'normal',
    agent_changed: false,
  };
  return { events: [{ type: 'answer_prepared', at, answer }], effects: [] };
}
