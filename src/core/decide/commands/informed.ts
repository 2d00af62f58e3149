import type { RunState } from '../../contracts/run-state.ts';
import type { GivenCommand } from '../answer/given-command.ts';
import type { Decision } from '../decision.ts';
import { replyTo } from '../reply-to.ts';
import type { CommandRule } from './command-rule.ts';

/** A command that only asks: it gets the same reply in every situation, and nothing changes. */
export function informed(title: (state: RunState) => string): Omit<CommandRule, 'listed'> {
  const inform = ({ state, input, sensible }: GivenCommand): Decision => ({
    events: [],
    effects: [replyTo(input, { tone: 'info', title: title(state), commands: sensible })],
  });
  return {
    asked: inform,
    working: inform,
    paused: inform,
    resting: inform,
    ended: inform,
    late: inform,
  };
}
