import type { CommandInput } from '../../contracts/input.ts';
import type { GivenCommand } from '../answer/given-command.ts';
import { endRun } from '../close-question.ts';
import type { Decision } from '../decision.ts';
import { finishRun } from '../finish-run.ts';
import type { CommandRule } from './command-rule.ts';
import { REFUSED_LATE } from './refused.ts';

/** G-11 */
export const cancelRule: CommandRule = {
  ...REFUSED_LATE,
  listed: { working: 'last', paused: 'last' },
  asked({ pending, input }) {
    const reason = cancelReason(input);
    return endRun(pending, input, 'resolved_with_termination', { status: 'cancelled', reason });
  },
  working: cancelUnasked,
  paused: cancelUnasked,
};

function cancelUnasked({ input }: GivenCommand): Decision {
  const { at, by } = input;
  return finishRun({ at, by, status: 'cancelled', partial: true, reason: cancelReason(input) });
}

function cancelReason({ by, because }: CommandInput): string {
  return because ? `cancelled by ${by}: ${because}` : `cancelled by ${by}`;
}
