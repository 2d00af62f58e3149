import type { Reply } from '../../contracts/effect.ts';
import type { GivenCommand } from '../answer/given-command.ts';
import type { Decision } from '../decision.ts';
import { replyTo } from '../reply-to.ts';
import type { CommandRule } from './command-rule.ts';

/** A command that only asks: it gets the same reply in every situation, and nothing changes. */
export function informed(
  tell: (given: GivenCommand) => Pick<Reply, 'title' | 'detail'>,
): Omit<CommandRule, 'listed'> {
  const inform = (given: GivenCommand): Decision => ({
    events: [],
    effects: [replyTo(given.input, { tone: 'info', ...tell(given), commands: given.sensible })],
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
