import type { GivenCommand } from '../answer/given-command.ts';
import { endRun } from '../close-question.ts';
import type { Decision } from '../decision.ts';
import { finishRun } from '../finish-run.ts';
import type { CommandRule } from './command-rule.ts';
import { REFUSED_LATE } from './refused.ts';

/** E-10 */
export const terminateRule: CommandRule = {
  ...REFUSED_LATE,
  listed: { working: 'last', paused: 'last', resting: 'last' },
  resting: terminateUnasked,
  asked({ pending, input }) {
    const end = { status: 'terminated_by_human' as const, reason: `terminated by ${input.by}` };
    return endRun(pending, input, 'resolved_with_termination', end);
  },
  working: terminateUnasked,
  paused: terminateUnasked,
};

function terminateUnasked({ input: { at, by } }: GivenCommand): Decision {
  const reason = `terminated by ${by}`;
  return finishRun({ at, by, status: 'terminated_by_human', partial: true, reason });
}
