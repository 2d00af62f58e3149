import { isAtTerminal } from '../../contracts/command.ts';
import type { CommandInput } from '../../contracts/input.ts';
import type { GivenCommand } from '../answer/given-command.ts';
import { endRun } from '../close-question.ts';
import { type Decision, NOTHING, refuse } from '../decision.ts';
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
  /** V-1: removing the label or closing the issue changes nothing once the pull request is ready. */
  resting(given) {
    const { input } = given;
    if (input.because) return NOTHING;
    if (isAtTerminal(input.via)) return REFUSED_LATE.resting(given);
    return refuse(input, {
      title: 'Nothing to cancel: the pull request is ready, and no round is running.',
      detail: 'Close the pull request to reject the work, or end the run with `/terminate`.',
      suggestion: '/terminate',
    });
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
